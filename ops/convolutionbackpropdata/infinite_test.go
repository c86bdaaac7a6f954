package convolutionbackpropdata

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// TestInfiniteFilters has filters with an infinite element. Only the elements of the output that it
// contributes to are infinite, or NaN if it is multiplied by 0. The numbers are OpenVINO's.
func TestInfiniteFilters(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	data, filters := []float64{1, 1, 1, 1, 0, 1, 1, 1, 1}, []float64{inf, 1, 1, 1, 1, 1, 1, 1, 1}
	for stride, c := range map[string]struct {
		shape ir.Shape
		want  []float64
	}{
		"1,1": {ir.Shape{1, 1, 3, 3}, []float64{nan, inf, 3, inf, inf, 5, 3, 5, 3}},
		"2,2": {ir.Shape{1, 1, 5, 5}, []float64{1, 2, 1, 2, 1, 2, nan, 1, inf, 2, 1, 1, 0, 1, 1, 2, inf, 1, inf, 2, 1, 2, 1, 2, 1}},
	} {
		for name, shape := range map[string]ir.Shape{"ConvolutionBackpropData-1": {1, 1, 3, 3}, "GroupConvolutionBackpropData-1": {1, 1, 1, 3, 3}} {
			attributes := layertest.Attributes{
				"strides", stride, "dilations", "1,1", "pads_begin", "1,1", "pads_end", "1,1", "auto_pad", "explicit", "output_padding", "0,0",
			}
			for _, elementType := range []ir.ElementType{ir.F32, ir.F64} {
				x := layertest.Numbers(t, elementType, ir.Shape{1, 1, 3, 3}, data...)
				f := layertest.Numbers(t, elementType, shape, filters...)
				y, err := layertest.Run(layertest.FindType(t, Ops, name), attributes, 1, x, f)
				require.NoError(t, err)
				require.Equal(t, c.shape, y.Shape())
				layertest.Near(t, c.want, y, 0, "%s, strides %s, %v", name, stride, elementType)
			}
		}
	}
}
