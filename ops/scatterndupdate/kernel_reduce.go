package scatterndupdate

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// combine applies one reduction to rows first to last-1 of dst. A row has n elements:
//
//	dst[at[j], e] = f(dst[at[j], e], src[j, e]) for j = 0, 1, ...
type combine[T any] func(dst, src []T, n int, at []int64, first, last int)

// apply is combine for the memory of elements.
type apply func(dst, src []byte, n int, at []int64, first, last int)

// applying returns f for the memory of elements; nil if f is nil. It is not inlined: copies of its
// closure would take 3.0 KiB.
//
//go:noinline
func applying[T any](f combine[T]) apply {
	if f == nil {
		return nil
	}
	return func(dst, src []byte, n int, at []int64, first, last int) {
		f(cast.Bytes[T](dst), cast.Bytes[T](src), n, at, first, last)
	}
}

// integer, unsigned, ordered and number are constraints of the Go types that arithmetic is done in.
type (
	integer interface {
		int8 | int16 | int32 | int64 | unsigned
	}
	unsigned interface {
		uint8 | uint16 | uint32 | uint64
	}
	ordered interface{ integer | float32 | float64 }
	number  interface {
		ordered | complex64 | complex128
	}
)

// prepareReduction prepares the kernel for the element type. s has the area of the indices.
func prepareReduction(p *ops.Preparation, k *plan, red reduction, t ir.ElementType, at gatherscatter.Indices[int64], s *ops.Scratch) (*ops.Prepared, error) {
	if t.IsFloat() && t != ir.F32 && t != ir.F64 {
		return reduceNarrow(p, k, red, t, at, s)
	}
	if t.IsInteger() && t.Size() == 0 {
		return &ops.Prepared{Kernel: reducePacked(k, red, t, at), ScratchBytes: s.Bytes()}, nil
	}
	f := applyOf(red, t, k.N)
	if f == nil {
		return nil, undefined(red, t)
	}
	return &ops.Prepared{Kernel: reduceBy(p, k, f, at), ScratchBytes: s.Bytes()}, nil
}

// applyOf returns the reduction of rows of n elements for types whose results are exact, or rounded
// after each update. It returns nil if the type does not have the reduction.
func applyOf(red reduction, t ir.ElementType, n int) apply {
	switch t {
	case ir.Boolean:
		return applying(logical(red))
	case ir.I32:
		return integers[int32, uint32](red)
	case ir.I64:
		return integers[int64, uint64](red)
	case ir.U32:
		return integers[uint32, uint32](red)
	case ir.U64:
		return integers[uint64, uint64](red)
	case ir.F32:
		return applying(single(red, n))
	case ir.F64:
		return applying(arithmetic[float64](red))
	case ir.Complex64:
		return applying(field[complex64](red))
	case ir.Complex128:
		return applying(field[complex128](red))
	}
	return nil
}

// undefined returns the error for a reduction that a type does not have.
func undefined(red reduction, t ir.ElementType) error {
	return faults.Errorf("reduction %v is not defined for %v", red, t)
}

// arithmetic returns the reduction for elements of type T.
func arithmetic[T ordered](red reduction) combine[T] {
	switch red {
	case minimum:
		return lower[T]
	case maximum:
		return higher[T]
	}
	return field[T](red)
}

// integers returns the reduction for integers of type T. U is the unsigned type of its size: sums
// and products have the same bits.
func integers[T integer, U unsigned](red reduction) apply {
	switch red {
	case minimum:
		return applying(lower[T])
	case maximum:
		return applying(higher[T])
	}
	return applying(field[U](red))
}

// field returns the reduction for numbers without an order; nil for minimum and maximum.
func field[T number](red reduction) combine[T] {
	switch red {
	case sum:
		return add[T]
	case sub:
		return subtract[T]
	case prod:
		return multiply[T]
	}
	return nil
}

// logical returns the reduction for booleans.
func logical(red reduction) combine[uint8] {
	switch red {
	case sum, maximum:
		return or
	case sub:
		return xor
	}
	return and
}

// stepElements is the number of elements of updates that are combined between two checks of
// Run.Stop.
const stepElements = 1 << 16

// reduceBy returns the kernel that combines elements by f.
func reduceBy(p *ops.Preparation, k *plan, f apply, at gatherscatter.Indices[int64]) ops.Kernel {
	size := p.Inputs[dataPort].Type.Size()
	row := k.N * size
	items, grain := k.Plan(row, p.Threads, false)
	step := max(stepElements/max(k.N, 1), 1) // updates between two checks of Run.Stop
	part := func(r *ops.Run, lo, hi int) error {
		dst, data := r.Outputs[0].Bytes(), r.Inputs[dataPort].Bytes()
		for i := lo; i < hi; i++ {
			_, first, last := k.Item(i)
			if &dst[0] != &data[0] {
				parallel.Copy(r.Stop, dst[first*row:last*row], data[first*row:])
			}
			rows, updates := at.Get(r), r.Inputs[updatesPort].Bytes()
			for j := 0; j < len(rows) && !r.Stop.Requested(); j += step {
				f(dst, updates[j*row:], k.N, rows[j:min(j+step, len(rows))], first, last)
			}
		}
		return nil
	}
	return func(r *ops.Run) error {
		if err := at.Check(r); err != nil || r.Outputs[0].Len() == 0 {
			return err
		}
		return r.For(items, grain, part)
	}
}

// add is f(x, y) = x + y.
func add[T number](dst, src []T, n int, at []int64, first, last int) {
	if n == 1 { // a histogram: the loop over the elements of a row would take most of the time
		src = src[:len(at)]
		for j, i := range at {
			if uint64(i-int64(first)) < uint64(last-first) {
				dst[i] += src[j]
			}
		}
		return
	}
	for j, i := range at {
		if uint64(i-int64(first)) >= uint64(last-first) {
			continue
		}
		ys := src[j*n:][:n]
		row := dst[int(i)*n:][:len(ys)]
		for e, y := range ys {
			row[e] += y
		}
	}
}

// subtract is f(x, y) = x - y.
func subtract[T number](dst, src []T, n int, at []int64, first, last int) {
	for j, i := range at {
		if uint64(i-int64(first)) >= uint64(last-first) {
			continue
		}
		ys := src[j*n:][:n]
		row := dst[int(i)*n:][:len(ys)]
		for e, y := range ys {
			row[e] -= y
		}
	}
}

// multiply is f(x, y) = x * y.
func multiply[T number](dst, src []T, n int, at []int64, first, last int) {
	for j, i := range at {
		if uint64(i-int64(first)) >= uint64(last-first) {
			continue
		}
		ys := src[j*n:][:n]
		row := dst[int(i)*n:][:len(ys)]
		for e, y := range ys {
			row[e] *= y
		}
	}
}

// lower is f(x, y) = min(x, y), or NaN if one is NaN.
func lower[T ordered](dst, src []T, n int, at []int64, first, last int) {
	for j, i := range at {
		if uint64(i-int64(first)) >= uint64(last-first) {
			continue
		}
		ys := src[j*n:][:n]
		row := dst[int(i)*n:][:len(ys)]
		for e, y := range ys {
			row[e] = min(row[e], y)
		}
	}
}

// higher is f(x, y) = max(x, y), or NaN if one is NaN.
func higher[T ordered](dst, src []T, n int, at []int64, first, last int) {
	for j, i := range at {
		if uint64(i-int64(first)) >= uint64(last-first) {
			continue
		}
		ys := src[j*n:][:n]
		row := dst[int(i)*n:][:len(ys)]
		for e, y := range ys {
			row[e] = max(row[e], y)
		}
	}
}
