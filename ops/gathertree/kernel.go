package gathertree

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// prepare returns a kernel that follows all beams of an item of the batch at the same time, from
// the last step to the first, so that it reads whole rows of beams.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	switch p.Outputs[0].Type {
	case ir.F32:
		return floats(p, func(bits uint32) float64 { return float64(math.Float32frombits(bits)) })
	case ir.F64:
		return floats(p, math.Float64frombits)
	case ir.F16:
		return floats(p, func(h uint16) float64 { return float64(half.F16ToF32(h)) })
	case ir.BF16:
		return floats(p, func(h uint16) float64 { return float64(half.BFloat16(h).Float32()) })
	case ir.I32:
		return integers[int32, uint32](p)
	case ir.I64:
		return integers[int64, uint64](p)
	case ir.U32:
		return integers[uint32, uint32](p)
	default: // u64
		return integers[uint64, uint64](p)
	}
}

// beamsAtOnce is the number of beams that are followed at the same time.
const beamsAtOnce = 1 << 12

// bits is the type of the bits of an element.
type bits interface {
	uint16 | uint32 | uint64
}

// kernel computes tensors of elements with the bits T.
type kernel[T bits] struct {
	time, batch, beams int
	blocks             int             // of beams
	places             ops.Area[int32] // of the beams in the current step
	value              func(T) float64
	// advance sets each beam to its parent. It returns the first beam whose parent is out of range,
	// or -1.
	advance func(beams []int32, parents []T) int
	// finish sets the elements after those that are equal to end to end. It marks the beams that
	// have ended with 1.
	finish func(ended []int32, row []T, end T)
	part   ops.Part
}

// integers returns the kernel of an integer type with the bits B.
func integers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64, B bits](p *ops.Preparation) (*ops.Prepared, error) {
	return newKernel(p, func(v B) float64 { return float64(T(v)) },
		func(beams []int32, parents []B) int {
			n := uint64(len(parents))
			for i, beam := range beams {
				v := T(parents[beam])
				if uint64(v) >= n {
					return i
				}
				beams[i] = int32(v)
			}
			return -1
		},
		func(ended []int32, row []B, end B) {
			for i, v := range row {
				if ended[i] != 0 {
					row[i] = end
				} else if v == end {
					ended[i] = 1
				}
			}
		})
}

// floats returns the kernel of a floating-point type.
func floats[T bits](p *ops.Preparation, value func(T) float64) (*ops.Prepared, error) {
	return newKernel(p, value,
		func(beams []int32, parents []T) int {
			n := float64(len(parents))
			for i, beam := range beams {
				v := value(parents[beam])
				if !(v > -1 && v < n) {
					return i
				}
				beams[i] = int32(v)
			}
			return -1
		},
		func(ended []int32, row []T, end T) {
			stop := value(end)
			for i, v := range row {
				if ended[i] != 0 {
					row[i] = end
				} else if value(v) == stop {
					ended[i] = 1
				}
			}
		})
}

func newKernel[T bits](p *ops.Preparation, value func(T) float64, advance func([]int32, []T) int, finish func([]int32, []T, T)) (*ops.Prepared, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	if shape.Elements() == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	k := &kernel[T]{time: shape[0], batch: shape[1], beams: shape[2], value: value, advance: advance, finish: finish}
	var s ops.Scratch
	k.places = ops.AreaOf[int32](&s, k.batch, k.beams)
	if k.beams > math.MaxInt32 {
		return nil, faults.Errorf("step_ids of shape %v has %d beams, more than the kernel can follow", shape, k.beams)
	}
	k.part = k.items
	k.blocks = (k.beams + beamsAtOnce - 1) / beamsAtOnce
	grain := ops.Grain(4 * float64(k.time) * float64(k.beams))
	return &ops.Prepared{
		Kernel:       func(r *ops.Run) error { return r.For(k.batch*k.blocks, grain, k.part) },
		ScratchBytes: s.Bytes(),
	}, nil
}

// items computes items lo to hi-1: blocks of beams of the items of the batch.
func (k *kernel[T]) items(r *ops.Run, lo, hi int) error {
	steps, parents, out := ir.Data[T](r.Inputs[stepPort]), ir.Data[T](r.Inputs[parentPort]), ir.Data[T](r.Outputs[0])
	end := ir.Data[T](r.Inputs[endPort])[0]
	meter := r.Stop.Meter()
	for ; lo < hi; lo++ {
		b, first := lo/k.blocks, lo%k.blocks*beamsAtOnce
		count := min(beamsAtOnce, k.beams-first)
		beams := k.places.Piece(r, b*k.beams+first, count)
		for i := range beams {
			beams[i] = int32(first + i)
		}
		row := func(t int) int { return (t*k.batch + b) * k.beams }
		n := 0
		if length := k.value(ir.Data[T](r.Inputs[lengthPort])[b]); length >= 1 { // not NaN
			n = int(min(length, float64(k.time)))
		}
		for t := n; t < k.time; t++ {
			if meter.Spent(count + 8) {
				return nil
			}
			strided.Fill(out[row(t)+first:][:count], end)
		}
		for t := n - 1; t >= 0; t-- {
			if meter.Spent(4*count + 8) {
				return nil
			}
			to, from := out[row(t)+first:][:count], steps[row(t):][:k.beams]
			for i, beam := range beams {
				to[i] = from[beam]
			}
			if t == 0 {
				break
			}
			if i := k.advance(beams, parents[row(t):][:k.beams]); i >= 0 {
				return faults.Errorf("parent_idx[%d,%d,%d] is %v, step_ids has %d beams", t, b, beams[i], k.value(parents[row(t)+int(beams[i])]), k.beams)
			}
		}
		clear(beams)
		for t := range n {
			if meter.Spent(2*count + 8) {
				return nil
			}
			k.finish(beams, out[row(t)+first:][:count], end)
		}
	}
	return nil
}
