// Package narrow has the element types of ONNX that OpenVINO does not have, although one of its
// types has all of their values: 8-bit floats with one zero, 6-bit floats, and signed integers of
// two bits. Tensors of such a type are held as tensors of the wider one.
package narrow

import (
	"encoding/binary"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/minifloat"
	"github.com/vinoir/vinoir/ir"
)

// Type is an element type of ONNX.
type Type struct {
	// Name is that of TensorProto.DataType, such as "FLOAT8E4M3FNUZ".
	Name string
	// Holder is an element type that has all values of the type.
	Holder ir.ElementType
	// Bits is the width of an element. Elements follow each other from the lowest bit of the first
	// byte on.
	Bits int
	// Float describes the numbers of a type of floats; nil if it is one of integers.
	Float *Float

	// value returns the value of an element, a code in the low bits of a byte.
	value func(code uint8) float32
}

// Float describes floats: zero, and numbers with Mantissa bits behind the first one.
type Float struct {
	Mantissa int
	// MinExponent is the exponent of the smallest number with that precision; those below it are
	// multiples of one number.
	MinExponent int
	// Max is the largest number. None is infinite.
	Max float64
	// NaN means that there is a NaN, and no negative zero.
	NaN bool
}

// types has all types.
var types = [...]Type{
	{"FLOAT8E4M3FNUZ", ir.F16, 8, &Float{3, -7, 240, true}, minifloat.F8E4M3FNUZToF32},
	{"FLOAT8E5M2FNUZ", ir.F16, 8, &Float{2, -15, 57344, true}, minifloat.F8E5M2FNUZToF32},
	{"FLOAT6E2M3", ir.F16, 6, &Float{3, 0, 7.5, false}, minifloat.F6E2M3ToF32},
	{"FLOAT6E3M2", ir.F16, 6, &Float{2, -2, 28, false}, minifloat.F6E3M2ToF32},
	{"INT2", ir.I4, 2, nil, func(code uint8) float32 { return float32(int8(code<<6) >> 6) }},
}

// Named returns the type with a name; nil if there is none.
func Named(name string) *Type {
	for i := range types {
		if types[i].Name == name {
			return &types[i]
		}
	}
	return nil
}

// Bytes returns the size of n elements.
func (t *Type) Bytes(n int) int { return (n*t.Bits + 7) / 8 }

// Expand returns a tensor of type t.Holder with the elements in data, which has t.Bytes of them.
func (t *Type) Expand(shape ir.Shape, data []byte) (*ir.Tensor, error) {
	if _, err := ir.ByteSize(t.Holder, shape); err != nil {
		return nil, err
	}
	n := shape.Elements()
	if want := t.Bytes(n); len(data) != want {
		return nil, faults.Errorf("%s%v needs %d bytes, the data has %d", t.Name, shape, want, len(data))
	}
	tensor, err := ir.NewTensor(t.Holder, shape...)
	if err != nil {
		return nil, err
	}
	elements, err := t.elements()
	if err != nil {
		return nil, err
	}
	held, width := tensor.Bytes(), t.Holder.Bits()
	mask := uint16(1)<<t.Bits - 1
	for i := range n {
		at := i * t.Bits
		code := uint16(data[at/8])
		if at/8+1 < len(data) {
			code |= uint16(data[at/8+1]) << 8
		}
		element := elements[code>>(at%8)&mask]
		if width < 8 {
			held[i*width/8] |= byte(element) << (i * width % 8)
		} else {
			binary.NativeEndian.PutUint16(held[2*i:], element)
		}
	}
	return tensor, nil
}

// elements returns the bits of the element of t.Holder for each code.
func (t *Type) elements() ([]uint16, error) {
	list := make([]uint16, 1<<t.Bits)
	for code := range list {
		scalar, err := ir.NewTensor(t.Holder)
		if err != nil {
			return nil, err
		}
		scalar.SetValue(0, float64(t.value(uint8(code))))
		if t.Holder.Bits() < 8 {
			list[code] = uint16(scalar.Bytes()[0])
		} else {
			list[code] = binary.NativeEndian.Uint16(scalar.Bytes())
		}
	}
	return list, nil
}
