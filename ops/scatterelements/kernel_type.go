package scatterelements

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// This file selects the tiler for each element type and reduction.

// move returns the kernel without a reduction. It only depends on the size of the elements.
func (c *call) move(p *plan, l locator) (ops.Kernel, int, error) {
	switch c.element.Size() {
	case 1:
		return kernelOf(c, p, l, &direct[uint8]{f: set[uint8]}, ir.Data)
	case 2:
		return kernelOf(c, p, l, &direct[uint16]{f: set[uint16]}, ir.Data)
	case 4:
		return kernelOf(c, p, l, &direct[uint32]{f: set[uint32]}, ir.Data)
	case 8:
		return kernelOf(c, p, l, &direct[uint64]{f: set[uint64]}, ir.Data)
	case 16:
		return kernelOf(c, p, l, &direct[complex128]{f: set[complex128]}, ir.Data)
	}
	if c.element == ir.String {
		return kernelOf(c, p, l, &direct[string]{f: set[string]}, (*ir.Tensor).Strings)
	}
	return c.packed(p, l)
}

// boolean returns the kernel for booleans: sum and max are or, prod and min are and.
func (c *call) boolean(p *plan, l locator) (ops.Kernel, int, error) {
	k := &direct[uint8]{f: higher[uint8]}
	neutral := uint8(0)
	switch c.reduction {
	case mean:
		return nil, 0, c.undefined()
	case prod, minimum:
		k.f, neutral = lower[uint8], 1
	}
	k.neutral = row(c, neutral)
	return kernelOf(c, p, l, k, ir.Data)
}

// integers returns the kernel for integers. A mean is computed in W.
func integers[T, W integer](c *call, p *plan, l locator, m func([]T, []W, []uint32, uint32)) (ops.Kernel, int, error) {
	if c.reduction == mean {
		return kernelOf(c, p, l, &wide[T, W]{f: add[W], neutral: row(c, W(0)), widen: convert[T, W], mean: m}, ir.Data)
	}
	lowest, highest := T(0), ^T(0)
	if highest < 0 { // T is signed: the highest value has all bits set except the first
		highest = T(1)<<(unsafe.Sizeof(lowest)*8-2) - 1 + T(1)<<(unsafe.Sizeof(lowest)*8-2)
		lowest = ^highest
	}
	return kernelOf(c, p, l, arithmetic(c, lowest, highest), ir.Data)
}

// floats returns the kernel for float32 and float64.
func floats[T float](c *call, p *plan, l locator) (ops.Kernel, int, error) {
	if c.reduction == mean {
		return kernelOf(c, p, l, &wide[T, float64]{f: add[float64], neutral: row(c, 0.), widen: convert[T, float64], mean: meanFloat[T]}, ir.Data)
	}
	return kernelOf(c, p, l, arithmetic(c, T(math.Inf(-1)), T(math.Inf(1))), ir.Data)
}

// halves returns the kernel for the 16-bit floats.
func halves[T uint16 | half.BFloat16](c *call, p *plan, l locator, widen func([]float32, []T), narrow func([]T, []float32), m func([]T, []float32, []uint32, uint32)) (ops.Kernel, int, error) {
	k := &wide[T, float32]{widen: widen, narrow: narrow}
	if c.reduction == mean {
		k.f, k.neutral, k.mean = add[float32], row[float32](c, 0), m
	} else {
		a := arithmetic(c, float32(math.Inf(-1)), float32(math.Inf(1)))
		k.f, k.neutral = a.f, a.neutral
	}
	return kernelOf(c, p, l, k, ir.Data)
}

// arithmetic returns the tiler for an ordered type with the given limits and any reduction
// except mean.
func arithmetic[T ordered](c *call, lowest, highest T) *direct[T] {
	k := &direct[T]{}
	switch c.reduction {
	case sum:
		k.f, k.neutral = add[T], row(c, T(0))
	case prod:
		k.f, k.neutral = multiply[T], row(c, T(1))
	case minimum:
		k.f, k.neutral = withAssembly("lower", lower[T]), row(c, highest)
	case maximum:
		k.f, k.neutral = withAssembly("higher", higher[T]), row(c, lowest)
	}
	return k
}

// complexNumbers returns the kernel for complex numbers, which have no order.
func complexNumbers[T complexNumber](c *call, p *plan, l locator, widen func([]complex128, []T)) (ops.Kernel, int, error) {
	switch c.reduction {
	case sum:
		return kernelOf(c, p, l, &direct[T]{f: add[T], neutral: row(c, T(0))}, ir.Data)
	case prod:
		return kernelOf(c, p, l, &direct[T]{f: multiply[T], neutral: row(c, T(1))}, ir.Data)
	case mean:
		return kernelOf(c, p, l, &wide[T, complex128]{f: add[complex128], neutral: row(c, 0i), widen: widen, mean: meanComplex[T]}, ir.Data)
	}
	return nil, 0, c.undefined()
}

// row returns a row of the neutral element of a reduction, or nil if elements start with their
// initial values.
func row[T any](c *call, neutral T) []T {
	if c.useInitVal {
		return nil
	}
	values := make([]T, blockLength)
	for i := range values {
		values[i] = neutral
	}
	return values
}
