package layertest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// Ints returns a tensor of integers of the given type.
func Ints(t testing.TB, elementType ir.ElementType, shape ir.Shape, values ...int64) *ir.Tensor {
	t.Helper()
	tensor, err := ir.TensorOfInts(elementType, shape, values)
	require.NoError(t, err)
	return tensor
}

// Counted returns a tensor whose elements are made from their positions in row-major order, so
// that a wrong element reveals its source. Types of few bits repeat.
func Counted(t testing.TB, elementType ir.ElementType, shape ...int) *ir.Tensor {
	t.Helper()
	tensor, err := ir.NewTensor(elementType, shape...)
	require.NoError(t, err)
	size := elementType.Size()
	for i := range tensor.Len() {
		switch {
		case elementType == ir.String:
			tensor.Strings()[i] = fmt.Sprint("element ", i)
		case size == 0:
			tensor.SetPacked(i, uint8(i+1))
		default:
			for b, v := 0, i+1; b < size; b, v = b+1, v>>8 {
				tensor.Bytes()[i*size+b] = byte(v)
			}
		}
	}
	return tensor
}

// Element returns the bytes of element i of a tensor as a string, or the element itself if it
// is a string.
func Element(t *ir.Tensor, i int) string {
	size := t.ElementType().Size()
	switch {
	case t.ElementType() == ir.String:
		return t.Strings()[i]
	case size == 0:
		return string(rune(t.Packed(i)))
	}
	return string(t.Bytes()[i*size : (i+1)*size])
}

// Elements returns all elements of a tensor in the form of Element.
func Elements(t *ir.Tensor) []string {
	all := make([]string, t.Len())
	for i := range all {
		all[i] = Element(t, i)
	}
	return all
}

// Types returns all element types except Dynamic.
func Types() []ir.ElementType {
	var all []ir.ElementType
	for t := ir.Boolean; t <= ir.Complex128; t++ {
		all = append(all, t)
	}
	return all
}
