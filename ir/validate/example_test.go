package validate_test

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

func openReshape() (*ir.Model, infer.Rules) {
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

// This example prints the differences between the file and the inferred types and shapes.
func ExampleModel() {
	m, rules := openReshape()
	report := validate.Model(m, rules, nil)
	for _, f := range report.Findings {
		fmt.Println(f.Line, f.Severity, f.Rule, f.Layer.Name, f.Port, f.Declared, f.Inferred)
	}
	// Output: 11 warning stale-shape flat 0 [1,5] [1,12]
}
