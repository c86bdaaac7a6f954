package scatterelements

import (
	"bytes"
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// This file selects the tiler for each element type and reduction.

// tiler returns the tiler for the element type and the reduction, or nil if the elements are moved
// one by one.
func (c *call) tiler() (tiler, error) {
	if c.reduction == none {
		// Moves only depend on the size of the elements.
		if f := setOf(c.element.Size()); f != nil {
			return &direct{size: c.element.Size(), f: f}, nil
		}
		return nil, nil
	}
	switch c.element {
	case ir.Boolean:
		return c.boolean()
	case ir.I8:
		return small[int8, uint8](c, math.MinInt8, math.MaxInt8)
	case ir.I16:
		return small[int16, uint16](c, math.MinInt16, math.MaxInt16)
	case ir.I32:
		return signed[int32, uint32](c, math.MinInt32, math.MaxInt32)
	case ir.I64:
		return signed[int64, uint64](c, math.MinInt64, math.MaxInt64)
	case ir.U8:
		return small[uint8, uint8](c, 0, math.MaxUint8)
	case ir.U16:
		return small[uint16, uint16](c, 0, math.MaxUint16)
	case ir.U32:
		return unsignedIntegers[uint32](c)
	case ir.U64:
		return unsignedIntegers[uint64](c)
	case ir.F32:
		return floats[float32](c)
	case ir.F64:
		return floats[float64](c)
	case ir.F16:
		return halves(c, &widened.F16, dividing(meanHalf(half.F32ToF16)))
	case ir.BF16:
		return halves(c, &widened.BF16, dividing(meanHalf(half.BFloat16Of)))
	case ir.Complex64:
		return complexNumbers(c, widenComplex64)
	case ir.Complex128:
		return complexNumbers(c, widenComplex128)
	}
	return nil, c.undefined()
}

// setOf returns set for elements of size bytes, or nil if there is none.
func setOf(size int) apply {
	switch size {
	case 1:
		return applying(set[uint8])
	case 2:
		return applying(set[uint16])
	case 4:
		return applying(set[uint32])
	case 8:
		return applying(set[uint64])
	case 16:
		return applying(set[complex128])
	}
	return nil
}

// numbers holds the operations of a type of numbers and their neutral elements. lower and higher
// are nil if the numbers have no order.
type numbers struct {
	add, multiply, lower, higher apply
	zero, one, highest, lowest   []byte
}

// memory returns the bytes of a number.
func memory[T number](v T) []byte { return cast.Memory([]T{v}) }

// direct returns the tiler for n and any reduction except mean.
func (c *call) direct(n *numbers) (*direct, error) {
	k := &direct{size: len(n.zero), set: setOf(len(n.zero))}
	neutral := n.zero
	switch c.reduction {
	case sum:
		k.f = n.add
	case prod:
		k.f, neutral = n.multiply, n.one
	case minimum:
		k.f, neutral = n.lower, n.highest
	case maximum:
		k.f, neutral = n.higher, n.lowest
	}
	if k.f == nil {
		return nil, c.undefined()
	}
	k.neutral = c.row(neutral)
	return k, nil
}

// row returns a row of the neutral element of a reduction, or nil if elements start with their
// initial values.
func (c *call) row(neutral []byte) []byte {
	if c.useInitVal {
		return nil
	}
	return bytes.Repeat(neutral, blockLength)
}

// boolean returns the tiler for booleans: sum and max are or, prod and min are and.
func (c *call) boolean() (*direct, error) {
	and, or := applying(lower[uint8]), applying(higher[uint8])
	return c.direct(&numbers{add: or, multiply: and, lower: and, higher: or, zero: []byte{0}, one: []byte{1}, highest: []byte{1}, lowest: []byte{0}})
}

// mean returns the tiler for the mean of elements of size bytes, which is computed in the type of
// n.
func (c *call) mean(size int, n *numbers, widen func(to, from []byte), divide func(to, sums []byte, counts []uint32, own uint32)) *wide {
	return &wide{
		size: size, wideSize: len(n.zero), f: n.add, set: setOf(len(n.zero)), neutral: c.row(n.zero), widen: widen, mean: divide,
	}
}

// small returns the tiler for integers of 8 and 16 bits, from lowest to highest, which are computed
// in int32. U is the unsigned type of the size of T.
func small[T int8 | int16 | uint8 | uint16, U unsigned](c *call, lowest, highest int32) (tiler, error) {
	size := len(memory(U(0)))
	if c.reduction == mean {
		return c.mean(size, sums[uint64](), converting(cast.Convert[int64, T]), dividing(meanInt[U])), nil
	}
	k, err := c.direct(integers[int32, uint32](lowest, highest))
	if err != nil {
		return nil, err
	}
	return &wide{
		size: size, wideSize: k.size, f: k.f, set: k.set, neutral: k.neutral,
		widen: converting(cast.Convert[int32, T]), narrow: converting(cast.Convert[U, uint32]),
	}, nil
}

// integers returns the numbers of a signed type. U is the unsigned type of the size of T: sums and
// products have the same bits.
func integers[T int32 | int64, U unsigned](lowest, highest T) *numbers {
	n := sums[U]()
	n.lower, n.higher = applying(lower[T]), applying(higher[T])
	n.lowest, n.highest = memory(lowest), memory(highest)
	return n
}

// signed returns the tiler for signed integers. A mean is computed in int64.
func signed[T int32 | int64, U unsigned](c *call, lowest, highest T) (tiler, error) {
	if c.reduction == mean {
		return c.mean(len(memory(lowest)), sums[uint64](), converting(cast.Convert[int64, T]), dividing(meanInt[U])), nil
	}
	return c.direct(integers[T, U](lowest, highest))
}

// unsignedIntegers is signed for unsigned integers, with a mean in uint64.
func unsignedIntegers[T unsigned](c *call) (tiler, error) {
	if c.reduction == mean {
		return c.mean(len(memory(T(0))), sums[uint64](), converting(cast.Convert[uint64, T]), dividing(meanUint[T])), nil
	}
	n := sums[T]()
	n.lower, n.higher = applying(lower[T]), applying(higher[T])
	n.lowest, n.highest = memory(T(0)), memory(^T(0))
	return c.direct(n)
}

// sums returns the numbers of type T, without an order.
func sums[T number]() *numbers {
	return &numbers{add: applying(add[T]), multiply: applying(multiply[T]), zero: memory(T(0)), one: memory(T(1))}
}

// realNumbers returns the numbers of a floating-point type.
func realNumbers[T float]() *numbers {
	n := sums[T]()
	n.lower, n.higher = applying(withAssembly("lower", lower[T])), applying(withAssembly("higher", higher[T]))
	n.lowest, n.highest = memory(T(math.Inf(-1))), memory(T(math.Inf(1)))
	return n
}

// floats returns the tiler for float32 and float64. A mean is computed in float64.
func floats[T float](c *call) (tiler, error) {
	if c.reduction == mean {
		return c.mean(len(memory(T(0))), realNumbers[float64](), converting(cast.Convert[float64, T]), dividing(meanFloat[T])), nil
	}
	return c.direct(realNumbers[T]())
}

// halves returns the tiler for the 16-bit floats, which are computed in float32.
func halves(c *call, conversion *widened.Conversion, divide func(to, sums []byte, counts []uint32, own uint32)) (tiler, error) {
	n := realNumbers[float32]()
	if c.reduction == mean {
		return c.mean(2, n, conversion.Widen, divide), nil
	}
	k, err := c.direct(n)
	if err != nil {
		return nil, err
	}
	return &wide{
		size: 2, wideSize: k.size, f: k.f, set: k.set, neutral: k.neutral, widen: conversion.Widen, narrow: conversion.Narrow,
	}, nil
}

// complexNumbers returns the tiler for complex numbers. A mean is computed in complex128.
func complexNumbers[T complexNumber](c *call, widen func([]complex128, []T)) (tiler, error) {
	if c.reduction == mean {
		return c.mean(len(memory(T(0))), sums[complex128](), converting(widen), dividing(meanComplex[T])), nil
	}
	return c.direct(sums[T]())
}
