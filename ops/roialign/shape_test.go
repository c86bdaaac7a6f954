package roialign

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	at := layertest.Attributes{"pooled_h", "2", "pooled_w", "3", "sampling_ratio", "1", "spatial_scale", "1", "mode", "max"}
	good := func(name, want string, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: name, Attributes: at, Inputs: inputs, Want: want}
	}
	refused := func(err string, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "ROIAlign-9", Attributes: at, Inputs: inputs, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		good("ROIAlign-3", "f32[7,4,2,3]", "f32[1,4,9,9]", "f32[7,4]", "i32[7]"),
		good("ROIAlignRotated-15", "f16[7,4,2,3]", "f16[1,4,9,9]", "f16[7,5]", "i64[7]"),
		good("ROIAlign-9", "f32[3..7,?,2,3]", "f32[1,?,9,9]", "f32[1..7,4]", "u8[3..9]"),
		good("ROIAlign-9", "f32[8,4,2,3]", "f32[1,4,9,9]", "f32[...]", "i32[8]"),
		good("ROIAlign-9", "f32[?,?,2,3]", "f32[...]", "f32[...]", "i32[...]"),
		good("ROIAlign-9", "f64[0,4,2,3]", "dynamic[1,4,9,9]", "f64[0,4]", "i32[0]"),
		{Type: "ROIAlign-9", Attributes: layertest.Attributes{"pooled_h", "-1"}, Inputs: []string{"f32[1,4,9,9]", "f32[7,4]", "i32[7]"}, Want: "f32[7,4,?,0]"},

		refused("data has shape [1,4,9], expected rank 4", "f32[1,4,9]", "f32[7,4]", "i32[7]"),
		refused("rois has shape [7], expected rank 2", "f32[1,4,9,9]", "f32[7]", "i32[7]"),
		refused("batch_indices has shape [7,1], expected rank 1", "f32[1,4,9,9]", "f32[7,4]", "i32[7,1]"),
		refused("rois has shape [7,5], expected 4 coordinates of each region", "f32[1,4,9,9]", "f32[7,5]", "i32[7]"),
		refused("rois has shape [7,4], batch_indices has shape [8]: the numbers of regions differ", "f32[1,4,9,9]", "f32[7,4]", "i32[8]"),
		refused("data is f32, rois is f16", "f32[1,4,9,9]", "f16[7,4]", "i32[7]"),
		refused("data is i32, expected a floating-point type", "i32[1,4,9,9]", "i32[7,4]", "i32[7]"),
		refused("batch_indices is f32, not a type of integers", "f32[1,4,9,9]", "f32[7,4]", "f32[7]"),
		{Type: "ROIAlign-3", Attributes: layertest.Attributes{"mode", "min"}, Inputs: []string{"f32[1,4,9,9]", "f32[7,4]", "i32[7]"}, Error: `attribute mode: "min" is none of avg, max`},
		{Type: "ROIAlign-9", Attributes: layertest.Attributes{"aligned_mode", "x"}, Inputs: []string{"f32[1,4,9,9]", "f32[7,4]", "i32[7]"}, Error: `attribute aligned_mode: "x" is none of asymmetric, half_pixel_for_nn, half_pixel`},
	})
}
