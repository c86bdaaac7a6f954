// Package jsontensor reads and writes the elements of tensors as JSON: numbers, true and false, and
// texts, in row-major order.
//
// Elements are read straight from the text into the memory of the tensor. A number that its type
// does not have is an error, never another number: 256 as UINT8, 1.5 as INT32, 1e40 as FP32. There
// is no JSON for NaN, for infinities, or for texts that are no UTF-8.
package jsontensor

import (
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// Options say how elements are read.
type Options struct {
	// Memory returns memory for n bytes of elements, aligned for all types, with any content. nil
	// means new memory.
	Memory func(n int) []byte
	// Base64 allows texts as {"b64": "…"} too, as TensorFlow Serving has them.
	Base64 bool
}

// Read reads an array of elements, flat or nested, as a tensor of type t. Only the number of
// elements is compared with shape, but arrays at the same depth must have the same length.
func Read(s *jsonscan.Scanner, t ir.ElementType, shape ir.Shape, options Options) (*ir.Tensor, error) {
	if s.Kind() != '[' {
		return nil, jsonscan.Broken(s.Data(), s.Offset(), "expected an array")
	}
	elements := shape.Elements()
	// An element and its comma are at least two bytes.
	if left := len(s.Data()) - s.Offset(); elements > left/2 {
		return nil, oip.Errorf(oip.Malformed, "shape %v has %d elements, more than fit the %d bytes of JSON that are left",
			[]int(shape), elements, left)
	}
	return read(s, t, shape, elements, options)
}

// Scalar reads one element, without an array around it, as a tensor without axes.
func Scalar(s *jsonscan.Scanner, t ir.ElementType, options Options) (*ir.Tensor, error) {
	if s.Kind() == '[' {
		return nil, jsonscan.Broken(s.Data(), s.Offset(), "expected one element")
	}
	return read(s, t, nil, 1, options)
}

// read reads an element or an array of elements.
func read(s *jsonscan.Scanner, t ir.ElementType, shape ir.Shape, elements int, options Options) (*ir.Tensor, error) {
	n := nesting{data: s.Data(), depth: s.Depth(), elements: elements}
	if t == ir.String {
		texts := texts{ends: make([]int, elements), base64: options.Base64}
		n.element = texts.read
		if err := n.read(s); err != nil {
			return nil, err
		}
		return tensor(ir.StringTensor(shape, texts.strings()))
	}
	if _, ok := oip.DatatypeOf(t); !ok {
		return nil, oip.Errorf(oip.Malformed, "element type %v has no JSON", t)
	}
	size, err := ir.ByteSize(t, shape)
	if err != nil {
		return nil, oip.Errorf(oip.Malformed, "%v", err)
	}
	memory := options.Memory
	if memory == nil {
		memory = ir.AlignedBytes
	}
	result, err := tensor(ir.TensorOfBytes(t, shape, memory(size)))
	if err != nil {
		return nil, err
	}
	n.element = readerOf(result)
	if err := n.read(s); err != nil {
		return nil, err
	}
	return result, nil
}

// tensor returns t, or the error of a client's shape.
func tensor(t *ir.Tensor, err error) (*ir.Tensor, error) {
	if err != nil {
		return nil, oip.Errorf(oip.Malformed, "%v", err)
	}
	return t, nil
}

// An elementReader reads the element that begins at data[pos] as number i of a tensor, and returns
// the offset behind it.
type elementReader func(data []byte, pos, i int) (end int, err error)

// readerOf returns the elementReader for the elements of t, which are not strings.
func readerOf(t *ir.Tensor) elementReader {
	switch t.ElementType() {
	case ir.F32:
		return floats32(ir.Data[float32](t)).read
	case ir.F64:
		return floats[float64]{ir.Data[float64](t), "FP64", float64Of}.read
	case ir.F16:
		return floats[uint16]{ir.Data[uint16](t), "FP16", float16Of}.read
	case ir.BF16:
		return floats[half.BFloat16]{ir.Data[half.BFloat16](t), "BF16", bfloat16Of}.read
	case ir.I8:
		return integersOf[int8](t, 7)
	case ir.I16:
		return integersOf[int16](t, 15)
	case ir.I32:
		return integersOf[int32](t, 31)
	case ir.I64:
		return integersOf[int64](t, 63)
	case ir.U8:
		return integersOf[uint8](t, 8)
	case ir.U16:
		return integersOf[uint16](t, 16)
	case ir.U32:
		return integersOf[uint32](t, 32)
	case ir.U64:
		return integersOf[uint64](t, 64)
	case ir.Boolean:
		return booleans(ir.Data[bool](t)).read
	default:
		panic("BUG: an element type of no datatype")
	}
}
