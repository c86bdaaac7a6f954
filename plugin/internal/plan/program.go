package plan

import (
	"context"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/graph"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// Program is a program with its plans: of the model, or of a body in it. It is safe for concurrent
// use.
type Program struct {
	*graph.Program
	Bodies map[*ir.Layer][]*Program
	Static *Plan // if the types and shapes of all inputs are static

	planning control.Lock
	Plans    *memory.Cache // of *Plan
	Lengths  OpenLengths
}

// New returns a program and the bodies in it with the plans of those whose inputs have static
// shapes.
func New(ctx context.Context, p *graph.Program) (*Program, error) {
	env := p.Env
	made := &Program{
		Program: p, Bodies: make(map[*ir.Layer][]*Program, len(p.Bodies)),
		planning: control.NewLock(), Plans: env.Memory.Caches.NewCache(env.Memory.Limits.MaxPlans),
	}
	for _, layer := range p.Model.Order {
		for _, body := range p.Bodies[layer] {
			inner, err := New(ctx, body)
			if err != nil {
				return nil, err
			}
			inner.Lengths.closed.Store(true)
			made.Bodies[layer] = append(made.Bodies[layer], inner)
		}
	}
	if p.Inferred == nil {
		var err error
		if made.Static, err = newPlan(ctx, p, p.Inputs, nil); err != nil {
			return nil, err
		}
	}
	return made, ctx.Err()
}

// Plan returns the plan for the types and shapes of inputs, which the caller has checked. If exact
// is true, the plan has no open lengths. If ctx is done earlier, it returns the error of ctx.
func (p *Program) Plan(ctx context.Context, inputs []*ir.Tensor, exact bool) (*Plan, error) {
	if p.Static != nil {
		return p.Static, nil
	}
	lengths := &p.Lengths
	if exact {
		lengths = &OpenLengths{}
	}
	var memory [256]byte // of the key, which is built for each inference
	if found := p.Plans.Get(lengths.appendKey(memory[:0], inputs)); found != nil {
		return found.(*Plan), nil
	}
	// One plan is made at a time, so that requests with the same new shapes share it.
	if err := p.planning.Acquire(control.StopOf(ctx)); err != nil {
		return nil, control.Stopped(ctx, err)
	}
	defer p.planning.Release()
	if found := p.Plans.Get(lengths.appendKey(memory[:0], inputs)); found != nil {
		return found.(*Plan), nil
	}
	made, err := lengths.newPlan(ctx, p.Program, inputs)
	if err != nil {
		return nil, err
	}
	return p.Plans.Put(string(lengths.appendKey(memory[:0], inputs)), made, made.bytes).(*Plan), nil
}
