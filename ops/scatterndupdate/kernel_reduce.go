package scatterndupdate

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// combine applies one reduction to rows first to last-1 of dst. A row has n elements:
//
//	dst[at[j], e] = f(dst[at[j], e], src[j, e]) for j = 0, 1, ...
type combine[T any] func(dst, src []T, n int, at []int64, first, last int)

// integer, ordered and number are constraints of the Go types that arithmetic is done in.
type (
	integer interface {
		int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
	}
	ordered interface{ integer | float32 | float64 }
	number  interface {
		ordered | complex64 | complex128
	}
)

// prepareReduction prepares the kernel for the element type. The first scratchBytes bytes of
// the scratch memory are reserved for the indices.
func prepareReduction(p *ops.Preparation, k *plan, red reduction, t ir.ElementType, at gatherscatter.Indices[int64], scratchBytes int) (*ops.Prepared, error) {
	if t.IsFloat() && t != ir.F32 && t != ir.F64 {
		return reduceNarrow(p, k, red, t, at, scratchBytes)
	}
	kernel, err := reductionKernel(p, k, red, t, at)
	if err != nil {
		return nil, err
	}
	return &ops.Prepared{Kernel: kernel, ScratchBytes: scratchBytes}, nil
}

// reductionKernel returns the kernel for types whose results are exact, or rounded after each
// update.
func reductionKernel(p *ops.Preparation, k *plan, red reduction, t ir.ElementType, at gatherscatter.Indices[int64]) (ops.Kernel, error) {
	switch t {
	case ir.Boolean:
		return reduceOf(p, k, logical(red), at), nil
	case ir.I8:
		return reduceOf(p, k, arithmetic[int8](red), at), nil
	case ir.I16:
		return reduceOf(p, k, arithmetic[int16](red), at), nil
	case ir.I32:
		return reduceOf(p, k, arithmetic[int32](red), at), nil
	case ir.I64:
		return reduceOf(p, k, arithmetic[int64](red), at), nil
	case ir.U8:
		return reduceOf(p, k, arithmetic[uint8](red), at), nil
	case ir.U16:
		return reduceOf(p, k, arithmetic[uint16](red), at), nil
	case ir.U32:
		return reduceOf(p, k, arithmetic[uint32](red), at), nil
	case ir.U64:
		return reduceOf(p, k, arithmetic[uint64](red), at), nil
	case ir.F32:
		return reduceOf(p, k, single(red, k.N), at), nil
	case ir.F64:
		return reduceOf(p, k, arithmetic[float64](red), at), nil
	case ir.Complex64:
		return reduceComplex[complex64](p, k, red, at)
	case ir.Complex128:
		return reduceComplex[complex128](p, k, red, at)
	}
	if t.IsInteger() {
		return reducePacked(k, red, t, at), nil
	}
	return nil, undefined(red, t)
}

// undefined returns the error for a reduction that a type does not have.
func undefined(red reduction, t ir.ElementType) error {
	return fmt.Errorf("reduction %v is not defined for %v", red, t)
}

// arithmetic returns the reduction for elements of type T.
func arithmetic[T ordered](red reduction) combine[T] {
	switch red {
	case sum:
		return add[T]
	case sub:
		return subtract[T]
	case prod:
		return multiply[T]
	case minimum:
		return lower[T]
	}
	return higher[T]
}

// reduceComplex returns the kernel for complex numbers.
func reduceComplex[T complex64 | complex128](p *ops.Preparation, k *plan, red reduction, at gatherscatter.Indices[int64]) (ops.Kernel, error) {
	switch red {
	case sum:
		return reduceOf(p, k, add[T], at), nil
	case sub:
		return reduceOf(p, k, subtract[T], at), nil
	case prod:
		return reduceOf(p, k, multiply[T], at), nil
	}
	return nil, undefined(red, p.Inputs[dataPort].Type)
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

// stepElements is the number of elements of updates that are combined between two checks of Run.Stop.
const stepElements = 1 << 16

// reduceOf returns the kernel that combines elements in their own type.
func reduceOf[T any](p *ops.Preparation, k *plan, f combine[T], at gatherscatter.Indices[int64]) ops.Kernel {
	size := p.Inputs[dataPort].Type.Size()
	items, grain := k.Plan(k.N*size, p.Threads, false)
	step := max(stepElements/max(k.N, 1), 1) // updates between two checks of Run.Stop
	part := func(r *ops.Run, lo, hi int) error {
		dst, data := gatherscatter.Elements[T](r.Outputs[0]), gatherscatter.Elements[T](r.Inputs[dataPort])
		for i := lo; i < hi; i++ {
			_, first, last := k.Item(i)
			if &dst[0] != &data[0] {
				parallel.Copy(r.Stop, dst[first*k.N:last*k.N], data[first*k.N:])
			}
			rows, updates := at.Get(r), gatherscatter.Elements[T](r.Inputs[updatesPort])
			for j := 0; j < len(rows) && !r.Stop.Requested(); j += step {
				f(dst, updates[j*k.N:], k.N, rows[j:min(j+step, len(rows))], first, last)
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
