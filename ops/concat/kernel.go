package concat

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepare cuts every input into runs of the elements at and behind the axis,
// which stay together in the output:
//
//	for each outer position, for each input k: copy run k
func prepare(p *ops.Preparation) (ops.Kernel, error) {
	shape, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	axis, err := index.Axis(p.Attributes.(attributes).axis, len(shape))
	if err != nil {
		return nil, err
	}
	outer := shape[:axis].Elements()
	runs := make([]int, len(p.Inputs))
	for i, input := range p.Inputs {
		s, err := input.Shape.Static()
		if err != nil {
			return nil, err
		}
		runs[i] = s[axis:].Elements()
	}
	switch t := p.Outputs[0].Type; {
	case t == ir.String:
		return func(r *ops.Run) error {
			join(r, outer, runs, (*ir.Tensor).Strings)
			return nil
		}, nil
	case t.Size() > 0:
		for i := range runs {
			runs[i] *= t.Size()
		}
		return func(r *ops.Run) error {
			join(r, outer, runs, (*ir.Tensor).Bytes)
			return nil
		}, nil
	default:
		return func(r *ops.Run) error {
			joinPacked(r, outer, runs)
			return nil
		}, nil
	}
}

// join copies runs of whole elements.
func join[T any](r *ops.Run, outer int, runs []int, elements func(*ir.Tensor) []T) {
	out := elements(r.Outputs[0])
	for o := range outer {
		for k, n := range runs {
			copy(out[:n], elements(r.Inputs[k])[o*n:])
			out = out[n:]
		}
	}
}

// joinPacked copies runs of elements of less than a byte.
func joinPacked(r *ops.Run, outer int, runs []int) {
	pos := 0
	for o := range outer {
		for k, n := range runs {
			for i := range n {
				r.Outputs[0].SetPacked(pos, r.Inputs[k].Packed(o*n+i))
				pos++
			}
		}
	}
}
