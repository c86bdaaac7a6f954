package tensors

import (
	"encoding/binary"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// typed returns a tensor whose elements are in the list of its type: float_data, double_data,
// int64_data, uint64_data for the unsigned integers of 32 and 64 bits, string_data, and int32_data
// for all others. The latter has the bits of floats, and the packed bytes of types below a byte.
// The tensor shares a list of its type.
func (l *Loader) typed(t *proto.Tensor, e ir.ElementType, shape ir.Shape, size int) (*ir.Tensor, error) {
	field, n := "int32_data", len(t.Int32s)
	switch e {
	case ir.F32:
		field, n = "float_data", len(t.Floats)
	case ir.F64:
		field, n = "double_data", len(t.Doubles)
	case ir.I64:
		field, n = "int64_data", len(t.Int64s)
	case ir.U32, ir.U64:
		field, n = "uint64_data", len(t.Uint64s)
	case ir.String:
		field, n = "string_data", len(t.Strings)
	}
	want := shape.Elements()
	if e.Size() == 0 && e != ir.String {
		want = size // a number for each byte
	}
	if n != want {
		return nil, faults.Errorf("%v%v needs %d numbers, %s has %d", e, shape, want, field, n)
	}
	if e == ir.String {
		return l.strings(shape, t.Strings)
	}
	if err := l.reserve(size); err != nil {
		return nil, err
	}
	switch e {
	case ir.F32:
		return ir.TensorOf(e, shape, t.Floats)
	case ir.F64:
		return ir.TensorOf(e, shape, t.Doubles)
	case ir.I64:
		return ir.TensorOf(e, shape, t.Int64s)
	case ir.U64:
		return ir.TensorOf(e, shape, t.Uint64s)
	}
	data := ir.AlignedBytes(size)
	if e == ir.U32 {
		for i, v := range t.Uint64s {
			binary.NativeEndian.PutUint32(data[4*i:], uint32(v))
		}
	} else {
		putLowest(data, e, t.Int32s)
	}
	return ir.TensorOfBytes(e, shape, data)
}

// putLowest writes the lowest bits of each value as an element of type t, or as a byte of packed
// ones.
func putLowest(data []byte, t ir.ElementType, values []int32) {
	for i, v := range values {
		switch {
		case t == ir.Boolean:
			data[i] = byte(min(uint32(v), 1))
		case t.Size() == 4:
			binary.NativeEndian.PutUint32(data[4*i:], uint32(v))
		case t.Size() == 2:
			binary.NativeEndian.PutUint16(data[2*i:], uint16(v))
		default:
			data[i] = byte(v)
		}
	}
}

// strings returns a tensor of copies of values.
func (l *Loader) strings(shape ir.Shape, values [][]byte) (*ir.Tensor, error) {
	list := make([]string, len(values))
	for i, v := range values {
		list[i] = string(v)
	}
	return ir.StringTensor(shape, list)
}
