package searchsorted

import (
	"math/bits"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/search"
)

// kernel searches rows of values, each in its sequence. There is one sequence for all rows, or one
// for each row.
type kernel struct {
	length, row int // of a sequence, and of a row of values
	one         bool
	right       bool
	elements    int // of values
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	sorted := p.InputShape(0)
	values := p.InputShape(1)
	k := &kernel{length: sorted[len(sorted)-1], one: len(sorted) == 1, right: p.Attributes.(attributes).right, elements: values.Elements()}
	if k.row = k.elements; !k.one {
		k.row = values[len(values)-1]
	}
	prepared := &ops.Prepared{Flops: float64(k.elements) * float64(8+4*bits.Len(uint(k.length)))}
	switch t := p.Inputs[0].Type; t {
	case ir.F32:
		prepared.Kernel = kernelOf[float32](k)
	case ir.F64:
		prepared.Kernel = kernelOf[float64](k)
	case ir.I32:
		prepared.Kernel = kernelOf[int32](k)
	case ir.I64:
		prepared.Kernel = kernelOf[int64](k)
	case ir.U64:
		prepared.Kernel = kernelOf[uint64](k)
	default:
		return nil, faults.Errorf("values of type %v have no kernel", t)
	}
	return prepared, nil
}

// piece is the number of values between two checks of Run.Stop.
const piece = 1 << 10

type number interface {
	int32 | int64 | uint64 | float32 | float64
}

func kernelOf[T number](k *kernel) ops.Kernel {
	part := func(r *ops.Run, lo, hi int) error {
		sorted, values := ir.Data[T](r.Inputs[0]), ir.Data[T](r.Inputs[1])
		meter := r.Stop.Meter()
		for lo < hi {
			sequence, end := k.run(lo, hi)
			count(k, r.Outputs[0], lo, sorted[sequence:][:k.length], values[lo:end])
			if lo = end; meter.Spent(piece * 16) {
				return nil
			}
		}
		return nil
	}
	return func(r *ops.Run) error { return r.For(k.elements, ops.Grain(4), part) }
}

// run returns the place of the sequence of value lo, and the end of a run of values that have the
// same sequence.
func (k *kernel) run(lo, hi int) (sequence, end int) {
	row := lo / k.row
	if !k.one {
		sequence = row * k.length
	}
	return sequence, min(lo+piece, (row+1)*k.row, hi)
}

// count writes the positions of values in a sequence to out, from element at.
func count[T number](k *kernel, out *ir.Tensor, at int, sequence, values []T) {
	if out.ElementType() == ir.I32 {
		countTo(k.right, ir.Data[int32](out)[at:], sequence, values)
	} else {
		countTo(k.right, ir.Data[int64](out)[at:], sequence, values)
	}
}

func countTo[T number, I int32 | int64](right bool, out []I, sequence, values []T) {
	if right {
		for i, v := range values {
			out[i] = I(search.NotAbove(sequence, v))
		}
		return
	}
	for i, v := range values {
		out[i] = I(search.Below(sequence, v))
	}
}
