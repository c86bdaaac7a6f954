package pooling

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// TestFlat_NaN checks that an element counts only for the windows that contain it: not for those of
// another row or plane.
func TestFlat_NaN(t *testing.T) {
	const width = 9
	op := layertest.FindType(t, Ops, "AvgPool-1")
	at := layertest.Attributes{"kernel", "3,3", "strides", "1,1", "pads_begin", "1,1", "pads_end", "1,1", "exclude-pad", "true"}
	for place := range 2 * width * width {
		values := make([]float64, 2*width*width)
		values[place] = math.NaN()
		out, err := layertest.Run(op, at, 1, layertest.Numbers(t, ir.F32, ir.Shape{1, 2, width, width}, values...))
		require.NoError(t, err)
		for i, v := range layertest.Floats(t, out) {
			y, x := i/width-place/width, i%width-place%width
			within := max(y, -y, x, -x) <= 1 && i/(width*width) == place/(width*width)
			require.Equal(t, within, math.IsNaN(v), "NaN at %d, element %d", place, i)
		}
	}
}
