package bucketize

import (
	"math"
	"math/bits"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/search"
)

//go:generate go run ./_neon -out kernel_arm64.s -stubs stubs_arm64.go -pkg bucketize

// kernel counts boundaries. It first converts buckets to the type in which data is compared.
type kernel struct {
	elements, boundaries int
	rightBound           bool
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	data := p.InputShape(0)
	buckets := p.InputShape(1)
	k := &kernel{elements: data.Elements(), boundaries: buckets.Elements(), rightBound: p.Attributes.(attributes).rightBound}
	load, err := loaderOf(p.Inputs[1].Type)
	if err != nil {
		return nil, err
	}
	switch t := p.Inputs[0].Type; t {
	case ir.F32:
		return kernelOf(k, load, toFloat32, countBoth)
	case ir.F64:
		return kernelOf(k, load, toFloat64, countWide)
	case ir.I32:
		return kernelOf(k, load, toInt[int32](math.MinInt32, math.MaxInt32), countBoth)
	case ir.I64:
		return kernelOf(k, load, toInt[int64](math.MinInt64, math.MaxInt64), countWide)
	case ir.U64:
		return kernelOf(k, load, toInt[uint64](0, math.MaxUint64), countWide)
	default:
		return nil, faults.Errorf("data of type %v has no kernel", t)
	}
}

// header counts the boundaries.
type header struct {
	below int64 // boundaries below all numbers of the type of data
	kept  int64 // boundaries that are compared
}

func kernelOf[T search.Number](k *kernel, load func(*ir.Tensor, int) number, convert func(number, bool) (T, place), count counter[T]) (*ops.Prepared, error) {
	var s ops.Scratch
	headers, compared := ops.AreaOf[header](&s, 1), ops.AreaOf[T](&s, k.boundaries)
	boundariesOf := func(r *ops.Run) (*header, []T) { return &headers.In(r)[0], compared.In(r) }
	steps := float64(8 + 4*bits.Len(uint(k.boundaries))) // of a search
	grain := ops.Grain(steps / 8)
	part := func(r *ops.Run, lo, hi int) error {
		h, boundaries := boundariesOf(r)
		boundaries = boundaries[:h.kept]
		count(k, r, boundaries, h.below, lo, hi)
		return nil
	}
	run := func(r *ops.Run) error {
		h, boundaries := boundariesOf(r)
		h.below, h.kept = 0, 0
		meter := r.Stop.Meter()
		for i := range k.boundaries {
			v, where := convert(load(r.Inputs[1], i), k.rightBound)
			switch where {
			case below:
				h.below++
			case within:
				boundaries[h.kept] = v
				h.kept++
			}
			if meter.Spent(16) {
				return nil
			}
		}
		return r.For(k.elements, grain, part)
	}
	return &ops.Prepared{Kernel: run, ScratchBytes: s.Bytes(), Flops: float64(k.elements) * steps}, nil
}

// A counter writes the buckets of elements lo to hi-1 of data to the output.
type counter[T search.Number] func(k *kernel, r *ops.Run, boundaries []T, below int64, lo, hi int)

// countBoth is the counter of common types, with code for both types of the output.
func countBoth[T search.Number](k *kernel, r *ops.Run, boundaries []T, below int64, lo, hi int) {
	if values := ir.Data[T](r.Inputs[0])[lo:hi]; r.Outputs[0].ElementType() == ir.I32 {
		setBuckets(k, values, ir.Data[int32](r.Outputs[0])[lo:hi], boundaries, int32(below))
	} else {
		setBuckets(k, values, ir.Data[int64](r.Outputs[0])[lo:hi], boundaries, below)
	}
}

// countWide is the counter of types that few models use: it counts in int64.
func countWide[T search.Number](k *kernel, r *ops.Run, boundaries []T, below int64, lo, hi int) {
	values := ir.Data[T](r.Inputs[0])
	if r.Outputs[0].ElementType() == ir.I64 {
		setBuckets(k, values[lo:hi], ir.Data[int64](r.Outputs[0])[lo:hi], boundaries, below)
		return
	}
	var piece [pieceLen]int64
	for ; lo < hi; lo += pieceLen {
		n := min(pieceLen, hi-lo)
		setBuckets(k, values[lo:lo+n], piece[:n], boundaries, below)
		cast.Convert(ir.Data[int32](r.Outputs[0])[lo:lo+n], piece[:n])
	}
}

// pieceLen is the number of elements that are counted for at a time.
const pieceLen = 256

// setBuckets writes the buckets of values to out. first is the number of boundaries before the
// given ones.
func setBuckets[T search.Number, I int32 | int64](k *kernel, values []T, out []I, boundaries []T, first I) {
	nan := I(k.boundaries)
	done := vectorCounts(values, out, boundaries, first, k.rightBound)
	if k.rightBound {
		nan = 0
		setBelow(values[done:], out[done:], boundaries, first)
	} else {
		setNotAbove(values[done:], out[done:], boundaries, first)
	}
	if first|nan == 0 {
		return // the bucket of NaN, which is below nothing
	}
	for i, v := range values {
		if v != v {
			out[i] = nan
		}
	}
}

// Both loops are functions of their own because the compiler keeps few variables in registers
// otherwise.

func setBelow[T search.Number, I int32 | int64](values []T, out []I, boundaries []T, first I) {
	out = out[:len(values)]
	for i, v := range values {
		out[i] = first + I(search.Below(boundaries, v))
	}
}

func setNotAbove[T search.Number, I int32 | int64](values []T, out []I, boundaries []T, first I) {
	out = out[:len(values)]
	for i, v := range values {
		out[i] = first + I(search.NotAbove(boundaries, v))
	}
}
