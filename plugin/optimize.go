package plugin

import (
	"context"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// optimizer runs the passes on the graphs of one model.
type optimizer struct {
	passes []graph.Pass
	evaluator
	types map[string]bool                // of the layers of all graphs, before and after each pass
	check func(pass string, m *ir.Model) // Core.checkPass
}

// newOptimizer returns an optimizer. The caller closes it.
func (c *Core) newOptimizer(ctx context.Context, env *environment, options *CompileOptions) *optimizer {
	o := &optimizer{check: c.checkPass, types: make(map[string]bool), evaluator: evaluator{
		env: env, stop: control.StopOf(ctx), work: maxTotalFoldWork,
		pool:   parallel.NewWith(parallel.Options{Threads: options.InferenceNumThreads, IdleAtOnce: options.IdleAtOnce}),
		copies: map[ir.Deferred]*memory.Deferred{},
	}}
	for _, pass := range allPasses() {
		if !options.disables(Optimization(pass.Name)) {
			o.passes = append(o.passes, pass)
		}
	}
	return o
}

func (o *optimizer) close() { o.pool.Close() }

// note adds the types of the layers of m, without those in bodies.
func (o *optimizer) note(m *ir.Model) {
	for _, layer := range m.Order {
		o.types[layer.Type] = true
	}
}

// optimize runs the passes on the model of p and returns the shapes of the result.
func (o *optimizer) optimize(ctx context.Context, p *program, shapes *infer.Shapes) (*infer.Shapes, error) {
	if err := o.deferUnaligned(p.model); err != nil {
		return nil, err
	}
	o.note(p.model)
	for _, pass := range o.passes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !pass.Run(&graph.Graph{Model: p.model, Shapes: shapes, Op: o.env.registry.Op, Evaluate: o.evaluate, KVCache: o.env.kvCache, Rounded: o.env.rounded, Note: o.env.note}) {
			continue
		}
		o.note(p.model)
		if o.check != nil {
			o.check(pass.Name, p.model)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if shapes, err = infer.Propagate(ctx, p.model, o.env.registry, p.parameters(p.inputs)); err != nil {
			if shapes == nil {
				return nil, err // that of ctx
			}
			if pass.Name == string(FoldConstants) {
				return nil, err // values that inference does not compute, such as a long Range, show a fault of the model
			}
			return nil, faults.Errorf("BUG: pass %s: %w", pass.Name, err)
		}
	}
	return shapes, nil
}
