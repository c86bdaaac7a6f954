// Package graph compiles a model and the bodies in it to programs: it runs passes on their graphs
// and computes what depends only on constants. It knows no pass: a Compiler has their list, and
// each works on a Graph.
//
// A pass makes a model faster and does not change its results, except for the rounding of
// floating-point numbers and, in ComputeInF32, the results that are too large for f16. Therefore
// any pass can be left out.
package graph

import (
	"context"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/memory"
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

// Compiler compiles a model.
type Compiler struct {
	Env    *Environment // without what Compile adds to it
	Limits memory.Limits
	Passes []Pass
	Pool   *parallel.Pool // computes constants
	// Check, if not nil, is called with each graph that a pass has changed.
	Check func(pass string, m *ir.Model)
}

// Compile optimizes model, which has the given shapes, and the bodies in it. It does not change
// model: the programs have a clone.
func (c *Compiler) Compile(ctx context.Context, model *ir.Model, shapes *infer.Shapes) (*Program, error) {
	model = model.Clone()
	if err := c.Env.findVariables(model, shapes); err != nil {
		return nil, err
	}
	c.Env.Memory, c.Env.LayerTypes = memory.NewCompiled(model, c.Limits), make(map[string]bool)
	o := &optimizer{c, evaluator{env: c.Env, stop: control.StopOf(ctx), work: maxTotalFoldWork, pool: c.Pool, copies: map[ir.Deferred]*memory.Deferred{}}}
	return o.compile(ctx, model, shapes, false)
}

// compile optimizes a graph, which it changes and which may be a body, and the bodies in it.
func (o *optimizer) compile(ctx context.Context, model *ir.Model, shapes *infer.Shapes, body bool) (*Program, error) {
	p := &Program{Env: o.env, Model: model, body: body, Bodies: make(map[*ir.Layer][]*Program)}
	for _, layer := range model.Parameters {
		fact := shapes.Outputs(layer)[0]
		p.Inputs = append(p.Inputs, ir.Fact{Type: fact.Type, Shape: fact.Shape})
	}
	for _, layer := range model.Results {
		p.Outputs = append(p.Outputs, layer.Inputs[0].Source.Name)
	}
	shapes, err := o.optimize(ctx, p, shapes)
	if err != nil {
		return nil, err
	}
	for _, layer := range model.Order {
		if len(layer.Bodies) == 0 {
			continue
		}
		p.Bodies[layer] = make([]*Program, len(layer.Bodies))
		for i := range layer.Bodies {
			inner := shapes.Body(layer, i)
			if inner == nil {
				return nil, control.AtLayer(layer, faults.Errorf("body %d was not inferred", i))
			}
			if p.Bodies[layer][i], err = o.compile(ctx, layer.Bodies[i].Model, inner, true); err != nil {
				return nil, err
			}
		}
	}
	p.IsResult = make([]bool, len(model.Layers))
	for _, layer := range model.Results {
		p.IsResult[layer.Index] = true
	}
	if slices.ContainsFunc(p.Inputs, IsUnknown) {
		p.Inferred = shapes
	}
	return p, ctx.Err()
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
