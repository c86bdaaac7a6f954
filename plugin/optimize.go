package plugin

import (
	"context"
	"fmt"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/plugin/internal/passes"
)

// optimizer runs the passes on the graphs of one model.
type optimizer struct {
	passes []passes.Pass
	evaluator
	check func(pass string, m *ir.Model) // Core.checkPass
}

// newOptimizer returns an optimizer. The caller closes it.
func (c *Core) newOptimizer(env *environment, options *CompileOptions) *optimizer {
	o := &optimizer{check: c.checkPass, evaluator: evaluator{
		env: env, left: env.limits.MaxTotalBytes, pool: parallel.New(options.InferenceNumThreads),
	}}
	for _, pass := range passes.All() {
		if !options.disables(Optimization(pass.Name)) {
			o.passes = append(o.passes, pass)
		}
	}
	return o
}

func (o *optimizer) close() { o.pool.Close() }

// optimize runs the passes on the model of p and returns the shapes of the result.
func (o *optimizer) optimize(ctx context.Context, p *program, shapes *infer.Shapes) (*infer.Shapes, error) {
	if len(o.passes) == 0 {
		return shapes, nil
	}
	if err := o.deferUnaligned(p.model); err != nil {
		return nil, err
	}
	for _, pass := range o.passes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !pass.Run(&passes.Graph{Model: p.model, Shapes: shapes, Op: o.env.registry.Op, Evaluate: o.evaluate}) {
			continue
		}
		if o.check != nil {
			o.check(pass.Name, p.model)
		}
		var err error
		if shapes, err = infer.Propagate(p.model, o.env.registry, p.parameters(p.inputs)); err != nil {
			return nil, fmt.Errorf("BUG: pass %s: %w", pass.Name, err)
		}
	}
	return shapes, nil
}
