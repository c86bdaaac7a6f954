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

// Compiler compiles a model.
type Compiler struct {
	Env    *Environment // of the model
	Passes []Pass
	Pool   *parallel.Pool // computes constants
	// Check, if not nil, is called with each graph that a pass has changed.
	Check func(pass string, m *ir.Model)
}

// Compile optimizes model, which has the given shapes, and the bodies in it. It changes model,
// which the program then has.
func (c *Compiler) Compile(ctx context.Context, model *ir.Model, shapes *infer.Shapes) (*Program, error) {
	o := &optimizer{c, evaluator{env: c.Env, stop: control.StopOf(ctx), work: maxTotalFoldWork, pool: c.Pool, copies: map[ir.Deferred]*memory.Deferred{}}}
	type graph struct {
		*Program
		shapes *infer.Shapes
	}
	main := &Program{Env: c.Env, Model: model}
	for graphs := []graph{{main, shapes}}; len(graphs) > 0; graphs = graphs[1:] {
		p, shapes := graphs[0].Program, graphs[0].shapes
		for _, layer := range p.Model.Parameters {
			fact := shapes.Outputs(layer)[0]
			p.Inputs = append(p.Inputs, ir.Fact{Type: fact.Type, Shape: fact.Shape})
		}
		for _, layer := range p.Model.Results {
			p.Outputs = append(p.Outputs, layer.Inputs[0].Source.Name)
		}
		shapes, err := o.optimize(ctx, p, shapes)
		if err != nil {
			return nil, err
		}
		p.Bodies = make(map[*ir.Layer][]*Program)
		for _, layer := range p.Model.Order {
			for i := range layer.Bodies {
				inner := shapes.Body(layer, i)
				if inner == nil {
					return nil, control.AtLayer(layer, faults.Errorf("body %d was not inferred", i))
				}
				body := &Program{Env: c.Env, Model: layer.Bodies[i].Model, body: true}
				p.Bodies[layer] = append(p.Bodies[layer], body)
				graphs = append(graphs, graph{body, inner})
			}
		}
		p.IsResult = make([]bool, len(p.Model.Layers))
		for _, layer := range p.Model.Results {
			p.IsResult[layer.Index] = true
		}
		if slices.ContainsFunc(p.Inputs, IsUnknown) {
			p.Inferred = shapes
		}
	}
	return main, ctx.Err()
}

// optimizer runs the passes on the graphs of one model.
type optimizer struct {
	*Compiler
	evaluator
}
