package ifop

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/subgraph"
)

// branch runs one of the bodies.
type branch struct {
	body   int
	inputs []int // of the layer, for each Parameter of the body
	// results has the Result that each output of the layer comes from.
	results []int
	// direct has, for each Result, the output that it can be computed in; -1 for none.
	direct []int
}

// prepare chooses the body. cond is always known: if it is no constant, the layer is
// prepared for its value when it runs.
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
		return nil, fmt.Errorf("%s: %w", bodyNames[b.body], err)
	}
	if b.results, err = subgraph.Results(body, len(p.Outputs)); err != nil {
		return nil, fmt.Errorf("%s: %w", bodyNames[b.body], err)
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
		return fmt.Errorf("%s: %w", bodyNames[b.body], err)
	}
	for k, result := range b.results {
		from := results[result]
		if b.direct[result] == k && slices.Equal(from.Shape(), r.Outputs[k].Shape()) {
			continue // the body has written it there
		}
		// A scalar of one body counts as a vector of one element if the other returns one.
		if b.direct[result] < 0 || from.Len() != 1 || r.Outputs[k].Len() != 1 {
			if err := r.SetShape(k, from.Shape()...); err != nil {
				return err
			}
		}
		copy(r.Outputs[k].Bytes(), from.Bytes())
		copy(r.Outputs[k].Strings(), from.Strings())
	}
	return nil
}
