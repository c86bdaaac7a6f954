package kernelcases

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
)

// Equal returns an error if the elements of two tensors of the same type and shape differ in
// any bit.
func Equal(want, got *ir.Tensor) error {
	size := want.ElementType().Size()
	for i := range want.Len() {
		if want.ElementType() == ir.String {
			if w, g := want.Strings()[i], got.Strings()[i]; w != g {
				return fmt.Errorf("element %d is %q, expected %q", i, g, w)
			}
		} else if w, g := want.Bytes()[i*size:][:size], got.Bytes()[i*size:][:size]; string(w) != string(g) {
			return fmt.Errorf("element %d has the bytes %x, expected %x", i, g, w)
		}
	}
	return nil
}

// Near returns an error if an element of got differs from that of want by more than the
// tolerance of the case: |got-want| <= ATol + RTol*|want|, with NaN near NaN. Types other
// than real and complex numbers are compared by Equal.
func (c *Case) Near(want, got *ir.Tensor) error {
	number := numberOf(want.ElementType())
	if number == nil {
		return Equal(want, got)
	}
	for i := range want.Len() {
		if w, g := number(want, i), number(got, i); !c.near(real(w), real(g)) || !c.near(imag(w), imag(g)) {
			return fmt.Errorf("element %d is %v, expected %v", i, g, w)
		}
	}
	return nil
}

func (c *Case) near(want, got float64) bool {
	return want == got || want != want && got != got || math.Abs(want-got) <= c.ATol+c.RTol*math.Abs(want)
}

// numberOf returns the function that reads an element of a real or complex type; nil for
// other types.
func numberOf(t ir.ElementType) func(x *ir.Tensor, i int) complex128 {
	switch t {
	case ir.F16:
		return func(x *ir.Tensor, i int) complex128 { return complex(float64(half.F16ToF32(ir.Data[uint16](x)[i])), 0) }
	case ir.BF16:
		return func(x *ir.Tensor, i int) complex128 {
			return complex(float64(ir.Data[half.BFloat16](x)[i].Float32()), 0)
		}
	case ir.F32:
		return func(x *ir.Tensor, i int) complex128 { return complex(float64(ir.Data[float32](x)[i]), 0) }
	case ir.F64:
		return func(x *ir.Tensor, i int) complex128 { return complex(ir.Data[float64](x)[i], 0) }
	case ir.Complex64:
		return func(x *ir.Tensor, i int) complex128 { return complex128(ir.Data[complex64](x)[i]) }
	case ir.Complex128:
		return func(x *ir.Tensor, i int) complex128 { return ir.Data[complex128](x)[i] }
	}
	return nil
}
