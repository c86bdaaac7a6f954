package graph

import (
	"context"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// Optimizer runs the passes on the graphs of one model.
type Optimizer struct {
	passes []Pass
	evaluator
	Types map[string]bool                // of the layers of all graphs, before and after each pass
	check func(pass string, m *ir.Model) // Core.checkPass
}

// NewOptimizer returns an optimizer that runs the given passes, on a number of threads. check, if
// not nil, is called with each graph that a pass has changed. The caller closes the optimizer.
func NewOptimizer(ctx context.Context, env *Environment, passes []Pass, pool *parallel.Pool, check func(string, *ir.Model)) *Optimizer {
	return &Optimizer{passes: passes, check: check, Types: make(map[string]bool), evaluator: evaluator{
		env: env, stop: control.StopOf(ctx), work: maxTotalFoldWork, pool: pool, copies: map[ir.Deferred]*memory.Deferred{},
	}}
}

func (o *Optimizer) Close() { o.pool.Close() }

// note adds the types of the layers of m, without those in bodies.
func (o *Optimizer) note(m *ir.Model) {
	for _, layer := range m.Order {
		o.Types[layer.Type] = true
	}
}

// optimize runs the passes on the model of p and returns the shapes of the result.
func (o *Optimizer) optimize(ctx context.Context, p *Program, shapes *infer.Shapes) (*infer.Shapes, error) {
	if err := o.deferUnaligned(p.Model); err != nil {
		return nil, err
	}
	o.note(p.Model)
	for _, pass := range o.passes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !pass.Run(&Graph{Model: p.Model, Shapes: shapes, Op: o.env.Registry.Op, Evaluate: o.evaluate, KVCache: o.env.KVCache, Rounded: o.env.Rounded, Note: o.env.note}) {
			continue
		}
		o.note(p.Model)
		if o.check != nil {
			o.check(pass.Name, p.Model)
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
