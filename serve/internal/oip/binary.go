package oip

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// Both protocols send tensors as their elements, dense and little-endian. An element of BYTES is
// its length as a little-endian uint32, and then its bytes.

// lengthBytes is the size of the length before an element of BYTES.
const lengthBytes = 4

// BinaryTensor returns the tensor whose elements are data. It shares data if the memory is aligned
// for t; strings are copied. It returns an error with the code Malformed if data has not the size
// that t and shape need, if a BOOL is neither 0 nor 1, or if the lengths of BYTES do not fit.
func BinaryTensor(t ir.ElementType, shape ir.Shape, data []byte) (*ir.Tensor, error) {
	if t == ir.String {
		return stringTensor(shape, data)
	}
	size, err := ir.ByteSize(t, shape)
	if err != nil {
		return nil, Errorf(Malformed, "%v", err)
	}
	if len(data) != size {
		name, _ := DatatypeOf(t)
		return nil, Errorf(Malformed, "%s%v needs %d bytes, the request has %d", name, []int(shape), size, len(data))
	}
	if t == ir.Boolean {
		if err := checkBooleans(data); err != nil {
			return nil, err
		}
	}
	if bigEndian && t.Size() > 1 {
		data = slices.Clone(data)
		reverseElements(data, t.Size())
	}
	tensor, err := ir.TensorOfBytes(t, shape, data)
	if err != nil {
		return nil, Errorf(Malformed, "%v", err)
	}
	return tensor, nil
}

// checkBooleans returns an error if a byte of data is neither 0 nor 1.
func checkBooleans(data []byte) error {
	for i, b := range data {
		if b > 1 {
			return Errorf(Malformed, "element %d of BOOL is %d, not 0 or 1", i, b)
		}
	}
	return nil
}

// stringTensor returns the tensor of the elements of BYTES in data.
func stringTensor(shape ir.Shape, data []byte) (*ir.Tensor, error) {
	elements := shape.Elements()
	// Each element needs its length, so the slice is at most four times as large as data.
	if elements > len(data)/lengthBytes {
		return nil, Errorf(Malformed, "BYTES%v has %d elements, more than fit %d bytes", []int(shape), elements, len(data))
	}
	// One string has all elements. They are copied, as a string can be kept for longer than data.
	text, texts := string(data), make([]string, elements)
	for i := range texts {
		if len(text) < lengthBytes {
			return nil, Errorf(Malformed, "BYTES%v ends in the length of element %d", []int(shape), i)
		}
		length := uint64(binary.LittleEndian.Uint32([]byte(text[:lengthBytes])))
		text = text[lengthBytes:]
		if length > uint64(len(text)) {
			return nil, Errorf(Malformed, "element %d of BYTES%v has %d bytes, of which %d are there",
				i, []int(shape), length, len(text))
		}
		texts[i], text = text[:length], text[length:]
	}
	if text != "" {
		return nil, Errorf(Malformed, "%d bytes after the last element of BYTES%v", len(text), []int(shape))
	}
	tensor, err := ir.StringTensor(shape, texts)
	if err != nil {
		return nil, Errorf(Malformed, "%v", err)
	}
	return tensor, nil
}

// BinarySize returns the number of bytes that AppendBinary appends.
func BinarySize(t *ir.Tensor) int {
	if t.ElementType() != ir.String {
		return len(t.Bytes())
	}
	size := 0
	for _, text := range t.Strings() {
		size += lengthBytes + len(text)
	}
	return size
}

// AppendBinary appends the elements of t to b.
func AppendBinary(b []byte, t *ir.Tensor) []byte {
	if t.ElementType() != ir.String {
		b = append(b, t.Bytes()...)
		if width := t.ElementType().Size(); bigEndian && width > 1 {
			reverseElements(b[len(b)-len(t.Bytes()):], width)
		}
		return b
	}
	for _, text := range t.Strings() {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
		b = append(b, text...)
	}
	return b
}

// SharedBinary returns the elements of t as they are sent, without a copy; false if t has another
// form in memory.
func SharedBinary(t *ir.Tensor) ([]byte, bool) {
	if t.ElementType() == ir.String || bigEndian && t.ElementType().Size() > 1 {
		return nil, false
	}
	return t.Bytes(), true
}

// bigEndian says whether this machine is big-endian.
var bigEndian = bytes.Equal(binary.NativeEndian.AppendUint16(nil, 1), []byte{0, 1})

// reverseElements changes the byte order of elements of width bytes.
func reverseElements(data []byte, width int) {
	for element := range slices.Chunk(data, width) {
		slices.Reverse(element)
	}
}
