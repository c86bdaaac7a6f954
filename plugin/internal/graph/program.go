// Package graph compiles a model and the bodies in it to programs: it runs passes on their graphs
// and computes what depends only on constants. It knows no pass: a Compiler has their list, and
// each works on a Graph.
//
// A pass makes a model faster and does not change its results, except for the rounding of
// floating-point numbers and, in ComputeInF32, the results that are too large for f16. Therefore
// any pass can be left out.
package graph

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Program is a graph after the passes, ready to be planned: the model or a body in it. It does not
// change.
type Program struct {
	Env    *Environment
	Model  *ir.Model
	Inputs []ir.Fact // type and shape of each Parameter, as known before the run
	// Outputs has the name of the layer that computes each result.
	Outputs []string
	// IsResult reports whether a layer is a Result, by Layer.Index.
	IsResult []bool
	Bodies   map[*ir.Layer][]*Program
	body     bool
	Inferred *infer.Shapes // for the inputs as known before the run; nil if all inputs are static
}

// IsUnknown reports whether the type or a length of an input is known only at run time.
func IsUnknown(f ir.Fact) bool { return f.Type == ir.Dynamic || !f.Shape.IsStatic() }

// Parameters maps the Parameters to the facts of inputs.
func (p *Program) Parameters(inputs []ir.Fact) map[*ir.Layer]ir.Fact {
	facts := make(map[*ir.Layer]ir.Fact, len(inputs))
	for i, layer := range p.Model.Parameters {
		facts[layer] = inputs[i]
	}
	return facts
}
