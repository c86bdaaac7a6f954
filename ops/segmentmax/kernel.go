package segmentmax

import (
	"errors"
	"math"
	"slices"
	"sort"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// prepare returns the kernel. The values of segment_ids and num_segments are known.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	data := p.InputShape(0)
	out, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	ids, known := p.Inputs[1].Ints()
	switch {
	case !known:
		return nil, errors.New("segment_ids is not known")
	case len(ids) != data[0]:
		return nil, faults.Errorf("segment_ids has %d elements, data of shape %v has %d rows", len(ids), data, data[0])
	case len(ids) > 0 && ids[0] < 0:
		return nil, faults.Errorf("segment_ids[0] is negative: %d", ids[0])
	}
	if err := check.Sorted("segment_ids", ids); err != nil {
		return nil, err
	}
	if err := p.Reserve(memory.Size[int64](len(ids))); err != nil {
		return nil, err
	}
	// The kernel is kept, and the memory of segment_ids may get other values.
	k := &kernel{ids: slices.Clone(ids), segments: out[0], width: data[1:].Elements(), lowest: p.Attributes.(attributes).lowest}
	run, err := k.of(p.Inputs[0].Type)
	return &ops.Prepared{Kernel: run}, err
}

// kernel computes the rows of the output, each of width elements.
type kernel struct {
	ids             []int64 // sorted
	segments, width int
	lowest          bool
}

// of returns the kernel for an element type.
func (k *kernel) of(t ir.ElementType) (ops.Kernel, error) {
	switch t {
	case ir.F32:
		return elements(k, -math.MaxFloat32, floats[float32]), nil
	case ir.F64:
		return elements(k, -math.MaxFloat64, floats[float64]), nil
	case ir.F16:
		return elements(k, half.F32ToF16(-65504), bits(0x7c00)), nil
	case ir.BF16:
		return elements(k, uint16(0xff7f), bits(0x7f80)), nil
	case ir.I32:
		return elements(k, math.MinInt32, integers[int32]), nil
	case ir.I64:
		return elements(k, math.MinInt64, integers[int64]), nil
	case ir.U64:
		return elements(k, 0, integers[uint64]), nil
	}
	return nil, faults.Errorf("data of type %v has no kernel", t)
}

// elements returns the kernel for elements of type T. lowest is the smallest number; raise replaces
// each element of acc that is less than that of row, or NaN, by it.
func elements[T ir.Element](k *kernel, lowest T, raise func(acc, row []T)) ops.Kernel {
	empty := lowest
	if !k.lowest {
		empty = *new(T)
	}
	return k.kernel(cast.Memory([]T{empty}), func(acc, row []byte) { raise(cast.Bytes[T](acc), cast.Bytes[T](row)) })
}

// kernel returns the kernel for elements in memory. empty is an element of segments without rows;
// raise is as in elements. It is not inlined: copies of its closure would take 11 KiB.
//
//go:noinline
func (k *kernel) kernel(empty []byte, raise func(acc, row []byte)) ops.Kernel {
	size := len(empty)
	part := func(r *ops.Run, lo, hi int) error {
		data, out := r.Inputs[0].Bytes(), r.Outputs[0].Bytes()
		meter := r.Stop.Meter()
		row := sort.Search(len(k.ids), func(i int) bool { return k.ids[i] >= int64(lo) })
		for s := lo; s < hi; s++ {
			acc := out[s*k.width*size:][:k.width*size]
			filled := false
			for ; row < len(k.ids) && k.ids[row] == int64(s); row++ {
				from := data[row*k.width*size:][:k.width*size]
				for at := 0; at < len(acc); at += piece * size {
					end := min(at+piece*size, len(acc))
					if filled {
						raise(acc[at:end], from[at:end])
					} else {
						copy(acc[at:end], from[at:end])
					}
					if meter.Spent(2 * (end - at) / size) {
						return parallel.ErrStopped
					}
				}
				filled = true
			}
			if !filled {
				for at := 0; at < len(acc); at += size {
					copy(acc[at:], empty)
				}
				if meter.Spent(k.width + 1) {
					return parallel.ErrStopped
				}
			}
		}
		return nil
	}
	// A thread has at least so many segments that their rows are worth it.
	perSegment := max(len(k.ids), k.segments) / max(k.segments, 1) * k.width
	return func(r *ops.Run) error { return r.For(k.segments, ops.Grain(float64(perSegment)), part) }
}

// piece is the number of elements between two checks of Run.Stop.
const piece = 1 << 14

func integers[T int32 | int64 | uint64](acc, row []T) {
	acc = acc[:len(row)]
	for i, v := range row {
		acc[i] = max(acc[i], v)
	}
}

func floats[T float32 | float64](acc, row []T) {
	acc = acc[:len(row)]
	for i, v := range row {
		if a := acc[i]; v > a || a != a {
			acc[i] = v
		}
	}
}

// bits returns the function for a 16-bit floating-point type, whose bits are compared. infinity has
// the bits of +Inf.
func bits(infinity uint16) func(acc, row []uint16) {
	const sign = 1 << 15
	// key returns a number in the order of the floats, and -1 for NaN.
	key := func(v uint16) int32 {
		switch m := v &^ sign; {
		case m > infinity:
			return -1
		case v >= sign:
			return sign - int32(m)
		default:
			return sign + int32(m)
		}
	}
	return func(acc, row []uint16) {
		acc = acc[:len(row)]
		for i, v := range row {
			if key(v) > key(acc[i]) {
				acc[i] = v
			}
		}
	}
}
