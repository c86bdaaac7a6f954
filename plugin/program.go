package plugin

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// program is a graph after the passes, ready to be planned and run: the model or a body in it. It
// is safe for concurrent use; only its cache of plans changes.
type program struct {
	env    *environment
	model  *ir.Model
	inputs []ir.Fact // type and shape of each Parameter, as known before the run
	// outputs has the name of the layer that computes each result.
	outputs []string
	// isResult reports whether a layer is a Result, by Layer.Index.
	isResult []bool
	bodies   map[*ir.Layer][]*program
	static   *plan         // if the types and shapes of all inputs are static
	inferred *infer.Shapes // otherwise, for the inputs as known before the run

	planning control.Lock
	plans    *memory.Cache // of *plan
	lengths  openLengths
}

// compileProgram optimizes a graph and the bodies in it, and plans it if the shapes of its inputs
// are static. It changes model, which has the given shapes.
func compileProgram(ctx context.Context, o *optimizer, model *ir.Model, shapes *infer.Shapes) (*program, error) {
	env := o.env
	p := &program{
		env: env, model: model, bodies: make(map[*ir.Layer][]*program),
		planning: control.NewLock(), plans: env.memory.Caches.NewCache(env.memory.Limits.MaxPlans),
	}
	for _, layer := range model.Parameters {
		fact := shapes.Outputs(layer)[0]
		p.inputs = append(p.inputs, ir.Fact{Type: fact.Type, Shape: fact.Shape})
	}
	for _, layer := range model.Results {
		p.outputs = append(p.outputs, layer.Inputs[0].Source.Name)
	}
	shapes, err := o.optimize(ctx, p, shapes)
	if err != nil {
		return nil, err
	}
	for _, layer := range model.Order {
		if len(layer.Bodies) == 0 {
			continue
		}
		p.bodies[layer] = make([]*program, len(layer.Bodies))
		for i := range layer.Bodies {
			inner := shapes.Body(layer, i)
			if inner == nil {
				return nil, control.AtLayer(layer, faults.Errorf("body %d was not inferred", i))
			}
			if p.bodies[layer][i], err = compileProgram(ctx, o, layer.Bodies[i].Model, inner); err != nil {
				return nil, err
			}
			p.bodies[layer][i].lengths.closed.Store(true)
		}
	}
	p.isResult = make([]bool, len(model.Layers))
	for _, layer := range model.Results {
		p.isResult[layer.Index] = true
	}
	if !slices.ContainsFunc(p.inputs, isUnknown) {
		if p.static, err = newPlan(ctx, p, p.inputs, nil); err != nil {
			return nil, err
		}
	} else {
		p.inferred = shapes
	}
	return p, ctx.Err()
}

// isUnknown reports whether the type or a length of an input is known only at run time.
func isUnknown(f ir.Fact) bool { return f.Type == ir.Dynamic || !f.Shape.IsStatic() }

// parameters maps the Parameters to the facts of inputs.
func (p *program) parameters(inputs []ir.Fact) map[*ir.Layer]ir.Fact {
	facts := make(map[*ir.Layer]ir.Fact, len(inputs))
	for i, layer := range p.model.Parameters {
		facts[layer] = inputs[i]
	}
	return facts
}

// plan returns the plan for the types and shapes of inputs, which the caller has checked. If exact is true, the plan has no open lengths.
// If ctx is done earlier, it returns the error of ctx.
func (p *program) plan(ctx context.Context, inputs []*ir.Tensor, exact bool) (*plan, error) {
	if p.static != nil {
		return p.static, nil
	}
	lengths := &p.lengths
	if exact {
		lengths = &openLengths{}
	}
	if found := p.plans.Get(lengths.key(inputs)); found != nil {
		return found.(*plan), nil
	}
	// One plan is made at a time, so that requests with the same new shapes share it.
	if err := p.planning.Acquire(control.StopOf(ctx)); err != nil {
		return nil, control.Stopped(ctx, err)
	}
	defer p.planning.Release()
	if found := p.plans.Get(lengths.key(inputs)); found != nil {
		return found.(*plan), nil
	}
	made, err := lengths.newPlan(ctx, p, inputs)
	if err != nil {
		return nil, err
	}
	return p.plans.Put(string(lengths.key(inputs)), made, made.bytes).(*plan), nil
}

// appendShape appends the type and shape of t to the key of a cache.
func appendShape(key []byte, t *ir.Tensor) []byte {
	key = binary.AppendUvarint(append(key, byte(t.ElementType())), uint64(len(t.Shape())))
	for _, n := range t.Shape() {
		key = binary.AppendUvarint(key, uint64(n))
	}
	return key
}
