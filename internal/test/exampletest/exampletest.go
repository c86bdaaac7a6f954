// Package exampletest has a model for the examples of the packages below ir.
package exampletest

import (
	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// Reshape reads irtest.ReshapeXML. It also returns the rules of all layer types.
func Reshape() (*ir.Model, infer.Rules) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	if err != nil {
		panic(err)
	}
	m, err := irxml.Read([]byte(irtest.ReshapeXML), irtest.ReshapeBin, irxml.ReadOptions{})
	if err != nil {
		panic(err)
	}
	return m, registry
}
