package tensors

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/narrow"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
)

// expand returns the tensor of t, whose elements are of a type that OpenVINO does not have, as one
// of the type that holds them. size is the number of bytes that this takes.
func (l *Loader) expand(e *narrow.Type, t *proto.Tensor, shape ir.Shape, size int) (*ir.Tensor, error) {
	if err := l.reserve(size); err != nil {
		return nil, err
	}
	data := t.Raw
	switch {
	case t.External:
		var err error
		if data, err = l.external(t, e.Holder); err != nil {
			return nil, err
		}
	case data == nil:
		want := shape.Elements() // a number for each element, or, for integers, for each byte
		if e.Float == nil {
			want = e.Bytes(want)
		}
		if len(t.Int32s) != want {
			return nil, faults.Errorf("%s%v needs %d numbers, int32_data has %d", e.Name, shape, want, len(t.Int32s))
		}
		data = packed(e, t.Int32s)
	}
	return e.Expand(shape, data)
}

// packed returns the bytes of elements whose codes are numbers, or of numbers that are bytes.
func packed(e *narrow.Type, numbers []int32) []byte {
	width := e.Bits
	if e.Float == nil {
		width = 8
	}
	data := make([]byte, (len(numbers)*width+7)/8)
	for i, v := range numbers {
		at, code := i*width, uint16(v)&(1<<width-1)<<(i*width%8)
		data[at/8] |= byte(code)
		if high := byte(code >> 8); high != 0 {
			data[at/8+1] |= high
		}
	}
	return data
}
