package ifop

import (
	"errors"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/subgraph"
)

// branch runs one of the bodies.
type branch struct {
	body int // index in Run.Bodies
	// inputs holds, for each Parameter of the body, the index of the layer's input that feeds it.
	inputs []int
	// results holds, for each output of the layer, the index of the Result that it comes from.
	results []int
	// direct holds, for each Result, the index of the layer's output that the body writes it to;
	// -1 if the body keeps it in memory of its own.
	direct []int
}

// prepare chooses the body. The value of cond is always known: if cond is not constant, the layer
// is prepared for its value when it runs.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	cond, known, err := subgraph.Condition("cond", &p.Inputs[0])
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, errors.New("cond is not known")
	}
	b := &branch{body: 0}
	if !cond {
		b.body = 1
	}
	body := &p.Layer.Bodies[b.body]
	if b.inputs, err = subgraph.Inputs(body, len(p.Inputs)); err != nil {
		return nil, faults.Errorf("%s: %w", bodyNames[b.body], err)
	}
	if b.results, err = subgraph.Results(body, len(p.Outputs)); err != nil {
		return nil, faults.Errorf("%s: %w", bodyNames[b.body], err)
	}
	b.direct = slices.Repeat([]int{-1}, len(body.Model.Results))
	for k, result := range b.results {
		if p.Outputs[k].Shape.IsStatic() && p.Outputs[k].Type != ir.Dynamic && b.direct[result] < 0 {
			b.direct[result] = k
		}
	}
	return ops.Only(b.run, nil)
}

// lists are the arguments of Body.Infer.
type lists struct{ inputs, outputs []*ir.Tensor }

func newLists() any { return new(lists) }

func (b *branch) run(r *ops.Run) error {
	l := r.Own(newLists).(*lists)
	l.inputs, l.outputs = l.inputs[:0], l.outputs[:0]
	for _, i := range b.inputs {
		l.inputs = append(l.inputs, r.Inputs[i])
	}
	for _, k := range b.direct {
		var output *ir.Tensor
		if k >= 0 {
			output = r.Outputs[k]
		}
		l.outputs = append(l.outputs, output)
	}
	results, err := r.Bodies[b.body].Infer(l.inputs, l.outputs)
	if err != nil {
		return faults.Errorf("%s: %w", bodyNames[b.body], err)
	}
	for k, result := range b.results {
		from := results[result]
		if b.direct[result] == k && slices.Equal(from.Shape(), r.Outputs[k].Shape()) {
			continue // the body has written the result to the output
		}
		// If one body returns a scalar and the other a vector of one element, the output is a
		// vector.
		if b.direct[result] < 0 || from.Len() != 1 || r.Outputs[k].Len() != 1 {
			if err := r.SetShape(k, from.Shape()...); err != nil {
				return err
			}
		}
		r.Copy(r.Outputs[k], from)
	}
	return nil
}
