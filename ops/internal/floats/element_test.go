package floats

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func TestSet(t *testing.T) {
	rounded := map[ir.ElementType]float64{ir.F64: 1 + 1.0/(1<<30), ir.F32: 1, ir.F16: 1, ir.BF16: 1}
	for _, elementType := range Types {
		x := layertest.Numbers(t, elementType, ir.Shape{3}, 5, 6, 7)
		Set(x, 0, -2.5)
		Set(x, 1, 1+1.0/(1<<30))
		assert.Equal(t, []float64{-2.5, rounded[elementType], 7}, layertest.Floats(t, x), "%v", elementType)
		assert.Equal(t, []float64{-2.5, rounded[elementType], 7}, []float64{At(x, 0), At(x, 1), At(x, 2)}, "%v", elementType)
	}
}
