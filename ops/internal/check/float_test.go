package check

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestFloat(t *testing.T) {
	fact := func(elementType ir.ElementType, shape ir.Shape, bytes ...byte) *ir.Fact {
		tensor, err := ir.TensorOfBytes(elementType, shape, bytes)
		require.NoError(t, err)
		return &ir.Fact{Type: elementType, Shape: shape.Partial(), Tensor: tensor}
	}
	for _, f := range []*ir.Fact{
		fact(ir.F64, ir.Shape{}, 0, 0, 0, 0, 0, 0, 0xf8, 0xbf),
		fact(ir.F32, ir.Shape{1}, 0, 0, 0xc0, 0xbf),
		fact(ir.F16, ir.Shape{1, 1}, 0, 0xbe),
		fact(ir.BF16, ir.Shape{}, 0xc0, 0xbf),
	} {
		v, known := Float(f)
		assert.True(t, known, "%v", f.Type)
		assert.Equal(t, -1.5, v, "%v", f.Type)
	}
	for _, f := range []*ir.Fact{
		{Type: ir.F32},
		fact(ir.I8, ir.Shape{}, 3),
		fact(ir.F16, ir.Shape{2}, 0, 0xbe, 0, 0xbe),
	} {
		_, known := Float(f)
		assert.False(t, known, "%v%v", f.Type, f.Shape)
	}
}
