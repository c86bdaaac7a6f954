package unique

import (
	"encoding/binary"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
)

// maxCompared is the greatest size of a Constant whose elements are compared.
const maxCompared = 1 << 20

// constantElements returns the shapes for the elements of t.
func constantElements(t *ir.Tensor) (shapes, error) {
	n, err := distinct(t, 1, t.Len())
	unique := ir.Dim(int64(n))
	return shapes{ir.ShapeOf(unique), unique, ir.Dim(int64(t.Len())), unique}, err
}

// constantSlices returns the shapes for the slices of t along axis.
func constantSlices(t *ir.Tensor, axis int) (shapes, error) {
	l := index.Along(t.Shape(), axis)
	n, err := distinct(t, l.Outer, l.Length)
	unique := ir.Dim(int64(n))
	return shapes{t.Shape().Partial().With(axis, unique), unique, ir.Dim(int64(l.Length)), unique}, err
}

// distinct returns the number of slices of t that differ. t consists of outer blocks, each of
// length pieces. Slice i consists of piece i of each block.
func distinct(t *ir.Tensor, outer, length int) (int, error) {
	elementType := t.ElementType()
	if elementType.Size() == 0 && elementType != ir.String || elementType.IsFloat() && elementType.Bits() == 8 {
		return 0, faults.Errorf("data is a Constant of %v, whose elements are not compared", elementType)
	}
	if outer == 0 || length == 0 {
		return min(length, 1), nil
	}
	data, err := normalisedBytes(t)
	if err != nil {
		return 0, err
	}
	piece := len(data) / (outer * length)
	seen := make(map[string]struct{})
	key := make([]byte, outer*piece)
	for i := range length {
		for o := range outer {
			copy(key[o*piece:], data[(o*length+i)*piece:][:piece])
		}
		seen[string(key)] = struct{}{}
	}
	return len(seen), nil
}

// normalisedBytes returns the bytes of t with -0 replaced by 0, so that equal elements have equal
// bytes. In place of texts, it returns numbers.
func normalisedBytes(t *ir.Tensor) ([]byte, error) {
	if t.ElementType() == ir.String {
		return numbered(t.Strings()), nil
	}
	if !t.ElementType().IsFloat() {
		return t.Bytes(), nil
	}
	c, err := ir.NewTensor(t.ElementType(), t.Shape()...)
	if err != nil {
		return nil, err
	}
	copy(c.Bytes(), t.Bytes())
	switch t.ElementType().Size() {
	case 2:
		clearZeros(ir.Data[uint16](c), 1<<15)
	case 4:
		clearZeros(ir.Data[uint32](c), 1<<31)
	case 8:
		clearZeros(ir.Data[uint64](c), 1<<63)
	}
	return c.Bytes(), nil
}

// numbered returns the bytes of a number for each text, which equal texts share.
func numbered(texts []string) []byte {
	numbers, list := make(map[string]uint32), make([]byte, 0, 4*len(texts))
	for _, text := range texts {
		number, ok := numbers[text]
		if !ok {
			number = uint32(len(numbers))
			numbers[text] = number
		}
		list = binary.NativeEndian.AppendUint32(list, number)
	}
	return list
}

// clearZeros replaces each -0, whose bits are negative, by 0.
func clearZeros[T uint16 | uint32 | uint64](data []T, negative T) {
	for i, v := range data {
		if v == negative {
			data[i] = 0
		}
	}
}
