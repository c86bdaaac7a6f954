package grpcapi

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// typedField returns the number of the field of InferTensorContents that has the elements of a
// tensor, and the wire type of one element; false for FP16 and BF16, which have none.
func typedField(t ir.ElementType) (protowire.Number, protowire.Type, bool) {
	switch t {
	case ir.Boolean:
		return 1, protowire.VarintType, true
	case ir.I8, ir.I16, ir.I32:
		return 2, protowire.VarintType, true
	case ir.I64:
		return 3, protowire.VarintType, true
	case ir.U8, ir.U16, ir.U32:
		return 4, protowire.VarintType, true
	case ir.U64:
		return 5, protowire.VarintType, true
	case ir.F32:
		return 6, protowire.Fixed32Type, true
	case ir.F64:
		return 7, protowire.Fixed64Type, true
	case ir.String:
		return 8, protowire.BytesType, true
	}
	return 0, 0, false
}

// typedTensor reads InferTensorContents.
func typedTensor(t ir.ElementType, shape ir.Shape, contents []byte) (*ir.Tensor, error) {
	number, kind, ok := typedField(t)
	name, _ := oip.DatatypeOf(t)
	if !ok {
		return nil, oip.Errorf(oip.Malformed, "%s has no typed field: send raw_input_contents", name)
	}
	n, err := countElements(contents, number, kind, name)
	if err != nil {
		return nil, err
	}
	if elements := shape.Elements(); n != elements {
		return nil, oip.Errorf(oip.Malformed, "%s%v has %d elements, the request %d", name, []int(shape), elements, n)
	}
	tensor, err := ir.NewTensor(t, shape...)
	if err != nil {
		return nil, oip.Errorf(oip.Malformed, "%v", err)
	}
	return tensor, setElements(tensor, contents, number, kind)
}

// countElements returns how many elements a message has. Another field than number is an error.
func countElements(contents []byte, number protowire.Number, kind protowire.Type, name oip.Datatype) (int, error) {
	n := 0
	f := fields{data: contents}
	for f.next() {
		switch f.tag {
		case protowire.EncodeTag(number, kind):
			n++
		case protowire.EncodeTag(number, protowire.BytesType):
			count, ok := countPacked(f.bytes, kind)
			if !ok {
				return 0, oip.Errorf(oip.Malformed, "the elements of %s end within one", name)
			}
			n += count
		default:
			if f.tag>>3 <= 8 {
				return 0, oip.Errorf(oip.Malformed, "%s is sent in field %d of the contents, not in %d", name, number, f.tag>>3)
			}
		}
	}
	return n, f.err
}

// countPacked returns how many elements of kind data has; false if the last is cut.
func countPacked(data []byte, kind protowire.Type) (int, bool) {
	switch kind {
	case protowire.Fixed32Type:
		return len(data) / 4, len(data)%4 == 0
	case protowire.Fixed64Type:
		return len(data) / 8, len(data)%8 == 0
	}
	n := 0
	for _, b := range data {
		if b < 0x80 {
			n++
		}
	}
	return n, len(data) == 0 || data[len(data)-1] < 0x80
}

// setElements sets the elements of tensor, as many as countElements counted.
func setElements(tensor *ir.Tensor, contents []byte, number protowire.Number, kind protowire.Type) error {
	next := 0
	f := fields{data: contents}
	for f.next() {
		switch {
		case kind == protowire.BytesType && f.tag == protowire.EncodeTag(number, kind):
			tensor.Strings()[next] = string(f.bytes)
			next++
		case f.tag == protowire.EncodeTag(number, kind):
			if err := setElement(tensor, next, f.value); err != nil {
				return err
			}
			next++
		case f.tag == protowire.EncodeTag(number, protowire.BytesType):
			n, err := setPacked(tensor, next, f.bytes, kind)
			if err != nil {
				return err
			}
			next += n
		}
	}
	return f.err
}

// setPacked sets elements from number first on, and returns how many.
func setPacked(tensor *ir.Tensor, first int, data []byte, kind protowire.Type) (int, error) {
	switch kind {
	case protowire.Fixed32Type:
		elements := ir.Data[uint32](tensor)[first:][:len(data)/4]
		for i := range elements {
			elements[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		return len(elements), nil
	case protowire.Fixed64Type:
		elements := ir.Data[uint64](tensor)[first:][:len(data)/8]
		for i := range elements {
			elements[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
		return len(elements), nil
	}
	next := first
	for len(data) > 0 {
		v, n := protowire.ConsumeVarint(data)
		if n < 0 {
			return 0, broken(protowire.ParseError(n))
		}
		if err := setElement(tensor, next, v); err != nil {
			return 0, err
		}
		next, data = next+1, data[n:]
	}
	return next - first, nil
}

// setElement sets element i to what v stands for on the wire. The fields of 32-bit integers also
// have the elements of 8 and 16 bits, which v may not fit.
func setElement(tensor *ir.Tensor, i int, v uint64) error {
	low, high := int64(0), int64(math.MaxInt64)
	signed := int64(int32(v))
	switch tensor.ElementType() {
	case ir.Boolean:
		signed = int64(protowire.EncodeBool(v != 0))
	case ir.I8:
		low, high = math.MinInt8, math.MaxInt8
	case ir.I16:
		low, high = math.MinInt16, math.MaxInt16
	case ir.I32:
		low = math.MinInt32
	case ir.U8:
		signed, high = int64(uint32(v)), math.MaxUint8
	case ir.U16:
		signed, high = int64(uint32(v)), math.MaxUint16
	case ir.U32, ir.F32:
		signed = int64(uint32(v))
	default:
		ir.Data[uint64](tensor)[i] = v
		return nil
	}
	if signed < low || signed > high {
		name, _ := oip.DatatypeOf(tensor.ElementType())
		return oip.Errorf(oip.Malformed, "element %d is %d, which %s cannot hold", i, signed, name)
	}
	switch tensor.ElementType().Size() {
	case 1:
		tensor.Bytes()[i] = byte(signed)
	case 2:
		ir.Data[uint16](tensor)[i] = uint16(signed)
	case 4:
		ir.Data[uint32](tensor)[i] = uint32(signed)
	}
	return nil
}

// appendContents appends InferTensorContents; the tensor must be of a type that typedField has.
func appendContents(b []byte, tensor *ir.Tensor) []byte {
	number, kind, _ := typedField(tensor.ElementType())
	if kind == protowire.BytesType {
		return appendTexts(b, number, tensor.Strings())
	}
	if tensor.Len() == 0 {
		return b
	}
	return appendMessage(b, number, func(b []byte) []byte {
		if kind != protowire.VarintType {
			return oip.AppendBinary(b, tensor)
		}
		for i := range tensor.Len() {
			b = protowire.AppendVarint(b, element(tensor, i))
		}
		return b
	})
}

// element returns element i of integers or truth values as a varint has it: negative ones extended
// to 64 bits.
func element(tensor *ir.Tensor, i int) uint64 {
	switch tensor.ElementType() {
	case ir.I8:
		return uint64(ir.Data[int8](tensor)[i])
	case ir.I16:
		return uint64(ir.Data[int16](tensor)[i])
	case ir.I32:
		return uint64(ir.Data[int32](tensor)[i])
	case ir.U16:
		return uint64(ir.Data[uint16](tensor)[i])
	case ir.U32:
		return uint64(ir.Data[uint32](tensor)[i])
	case ir.I64, ir.U64:
		return ir.Data[uint64](tensor)[i]
	}
	return uint64(tensor.Bytes()[i])
}
