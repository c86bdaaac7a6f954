package pooling

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// TestAvgPool_infinite has infinite elements and NaN next to padding, which is left out. The
// numbers are OpenVINO's.
func TestAvgPool_infinite(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	data := []float64{inf, 1, 1, 1, 1, 1, 1, 1, nan}
	for exclude, want := range map[bool][]float64{
		true:  {inf, inf, 1, 1, inf, inf, 1, 1, 1, 1, nan, nan, 1, 1, nan, nan},
		false: {inf, inf, 0.5, 0.25, inf, inf, 1, 0.5, 0.5, 1, nan, nan, 0.25, 0.5, nan, nan},
	} {
		for _, rounding := range []string{"floor", "ceil"} {
			attributes := layertest.Attributes{
				"strides", "1,1", "kernel", "2,2", "pads_begin", "1,1", "pads_end", "1,1", "auto_pad", "explicit",
				"rounding_type", rounding, "exclude-pad", fmt.Sprint(exclude),
			}
			for _, elementType := range []ir.ElementType{ir.F32, ir.F64, ir.F16} {
				x := layertest.Numbers(t, elementType, ir.Shape{1, 1, 3, 3}, data...)
				y, err := layertest.Run(layertest.FindType(t, Ops, "AvgPool-1"), attributes, 1, x)
				require.NoError(t, err)
				layertest.Near(t, want, y, 0, "exclude-pad %v, %s, %v", exclude, rounding, elementType)
			}
		}
	}
}
