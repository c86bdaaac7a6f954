package graph

import (
	"context"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// optimizer runs the passes on the graphs of one model.
type optimizer struct {
	*Compiler
	evaluator
}

// note adds the types of the layers of m, without those in bodies.
func (o *optimizer) note(m *ir.Model) {
	for _, layer := range m.Order {
		o.env.LayerTypes[layer.Type] = true
	}
}

// optimize runs the passes on the model of p and returns the shapes of the result.
func (o *optimizer) optimize(ctx context.Context, p *Program, shapes *infer.Shapes) (*infer.Shapes, error) {
	if err := o.deferUnaligned(p.Model); err != nil {
		return nil, err
	}
	o.note(p.Model)
	for _, pass := range o.Passes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !pass.Run(&Graph{Model: p.Model, Shapes: shapes, Op: o.env.Registry.Op, Evaluate: o.evaluate, KVCache: o.env.KVCache, Rounded: o.env.Rounded, note: o.env.note}) {
			continue
		}
		o.note(p.Model)
		if o.Check != nil {
			o.Check(pass.Name, p.Model)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if shapes, err = infer.Propagate(ctx, p.Model, o.env.Registry, p.Parameters(p.Inputs)); err != nil {
			if shapes == nil {
				return nil, err // that of ctx
			}
			if pass.Folds {
				// values that inference does not compute, such as a long Range, show a fault of the
				// model
				return nil, err
			}
			return nil, faults.Errorf("BUG: pass %s: %w", pass.Name, err)
		}
	}
	return shapes, nil
}
