package main

import (
	"math"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
)

// reader returns a function that returns an element of t as a number; nil for types that have no
// equivalent in Go.
func reader(t *ir.Tensor) func(i int) float64 {
	switch t.ElementType() {
	case ir.F16:
		return func(i int) float64 { return float64(half.F16ToF32(ir.Data[uint16](t)[i])) }
	case ir.BF16:
		return func(i int) float64 { return float64(ir.Data[half.BFloat16](t)[i].Float32()) }
	case ir.F32:
		return read[float32](t)
	case ir.F64:
		return read[float64](t)
	case ir.I8:
		return read[int8](t)
	case ir.I16:
		return read[int16](t)
	case ir.I32:
		return read[int32](t)
	case ir.I64:
		return read[int64](t)
	case ir.U8:
		return read[uint8](t)
	case ir.U16:
		return read[uint16](t)
	case ir.U32:
		return read[uint32](t)
	case ir.U64:
		return read[uint64](t)
	case ir.Boolean:
		return func(i int) float64 { return float64(t.Bytes()[i]) }
	}
	return nil
}

type number interface {
	float32 | float64 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

func read[T number](t *ir.Tensor) func(i int) float64 {
	data := ir.Data[T](t)
	return func(i int) float64 { return float64(data[i]) }
}

// writer returns a function that sets an element of t to the nearest number that the type has; nil
// for types that have no equivalent in Go.
func writer(t *ir.Tensor) func(i int, x float64) {
	switch t.ElementType() {
	case ir.F16:
		return func(i int, x float64) { ir.Data[uint16](t)[i] = half.F32ToF16(float32(x)) }
	case ir.BF16:
		return func(i int, x float64) { ir.Data[half.BFloat16](t)[i] = half.BFloat16Of(float32(x)) }
	case ir.F32:
		return func(i int, x float64) { ir.Data[float32](t)[i] = float32(x) }
	case ir.F64:
		return func(i int, x float64) { ir.Data[float64](t)[i] = x }
	case ir.I8:
		return write[int8](t)
	case ir.I16:
		return write[int16](t)
	case ir.I32:
		return write[int32](t)
	case ir.I64:
		return write[int64](t)
	case ir.U8:
		return write[uint8](t)
	case ir.U16:
		return write[uint16](t)
	case ir.U32:
		return write[uint32](t)
	case ir.U64:
		return write[uint64](t)
	case ir.Boolean:
		return func(i int, x float64) {
			t.Bytes()[i] = 0
			if x != 0 {
				t.Bytes()[i] = 1
			}
		}
	}
	return nil
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

func write[T integer](t *ir.Tensor) func(i int, x float64) {
	data := ir.Data[T](t)
	lo, hi, _ := t.ElementType().Limits()
	return func(i int, x float64) {
		if x = math.Trunc(x); x != x {
			x = 0
		}
		data[i] = T(max(min(int64(max(min(x, 1<<62), -1<<62)), hi), lo))
	}
}

// roundings are how far real numbers of a type may differ, relative to the largest magnitude of
// their tensor: some roundings of the type, and of f32, in which most layers compute.
var roundings = map[ir.ElementType]float64{
	ir.F32: 1e-4, ir.F64: 1e-4, ir.F16: 4e-3, ir.BF16: 2e-2,
	ir.F8E4M3: 0.13, ir.F8E5M2: 0.26,
}
