package roipooling

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

type at = layertest.Attributes

func TestShapes(t *testing.T) {
	plain := at{"pooled_h", "2", "pooled_w", "3", "spatial_scale", "1", "method", "bilinear"}
	data, rois := "f32[1,4,9,9]", "f32[7,5]"
	good := func(want string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "ROIPooling-2", Attributes: attributes, Inputs: inputs, Want: want}
	}
	refused := func(err string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "ROIPooling-2", Attributes: attributes, Inputs: inputs, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		good("f32[7,4,2,3]", plain, data, rois),
		good("f32[7,4,4,5]", at{"output_size", "4,5", "spatial_scale", "1"}, data, rois),
		good("f32[7,4,4,3]", at{"output_size", "6,7", "output_roi", "4,5", "pooled_w", "3", "spatial_scale", "1"}, data, rois),
		good("f32[?,4..6,2,3]", plain, "f32[1,4..6,9,9]", "f32[?,4..]"),
		good("f32[7,?,2,3]", plain, "f32[...]", rois),
		good("f32[?,4,2,3]", plain, data, "f32[...]"),

		refused("data is f32, rois is f16, expected one floating-point type", plain, data, "f16[7,5]"),
		refused("data is i32, rois is i32, expected one floating-point type", plain, "i32[1,4,9,9]", "i32[7,5]"),
		refused("data has shape [1,4,9], expected rank 4", plain, "f32[1,4,9]", rois),
		refused("rois has shape [7], expected rank 2", plain, data, "f32[7]"),
		refused("rois has shape [7,4], expected 5 elements for each region", plain, data, "f32[7,4]"),
		refused("attribute pooled_h: 0 is outside [1,1073741824]", at{"pooled_w", "2", "spatial_scale", "1"}, data, rois),
		refused("attribute output_roi: 1 elements, expected pooled_h and pooled_w", at{"output_roi", "2", "spatial_scale", "1"}, data, rois),
		refused("attribute spatial_scale: 0 is not a positive number", at{"pooled_h", "2", "pooled_w", "3"}, data, rois),
		refused("attribute spatial_scale: 1e-40 is not a positive number", at{"spatial_scale", "1e-40"}, data, rois),
		refused("attribute spatial_scale: NaN is not a positive number", at{"spatial_scale", "nan"}, data, rois),
		refused("attribute spatial_scale: +Inf is not a positive number", at{"spatial_scale", "inf"}, data, rois),
		refused(`attribute method: "MAX" is not written max`, at{"spatial_scale", "1", "method", "MAX"}, data, rois),
	})
}

func TestShapes_positions(t *testing.T) {
	average := at{"output_dim", "2", "group_size", "2", "spatial_scale", "0.5", "mode", "average"}
	bilinear := at{"output_dim", "2", "group_size", "3", "spatial_scale", "0.5", "mode", "bilinear", "spatial_bins_x", "2", "spatial_bins_y", "2"}
	good := func(want string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "PSROIPooling-1", Attributes: attributes, Inputs: inputs, Want: want}
	}
	refused := func(err string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "PSROIPooling-1", Attributes: attributes, Inputs: inputs, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		good("f32[7,2,2,2]", average, "f32[1,8,9,9]", "f16[7,5]"),
		good("f32[1..7,2,3,3]", bilinear, "f32[1,6..9,9,9]", "f32[1..7,?]"),
		good("f32[?,2,2,2]", average, "f32[...]", "f32[...]"),

		refused("data [1,7,9,9] has 7 channels, output_dim 2 in 4 bins needs 8", average, "f32[1,7,9,9]", "f32[7,5]"),
		refused("data is i32, rois is f32, expected floating-point types", average, "i32[1,8,9,9]", "f32[7,5]"),
		refused("rois has shape [7,3], expected 5 elements for each region", average, "f32[1,8,9,9]", "f32[7,3]"),
		refused("attribute mode: missing, expected average or bilinear", average[:6], "f32[1,8,9,9]", "f32[7,5]"),
		refused("attribute group_size: 0 is outside [1,1073741824]", at{"output_dim", "2"}, "f32[1,8,9,9]", "f32[7,5]"),
		refused("attribute spatial_bins_x: 0 is outside [1,1073741824]", bilinear[:8], "f32[1,8,9,9]", "f32[7,5]"),
	})
}

func TestShapes_deformable(t *testing.T) {
	plain := at{"output_dim", "2", "group_size", "3", "spatial_scale", "0.5"}
	good := func(want string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "DeformablePSROIPooling-1", Attributes: attributes, Inputs: inputs, Want: want}
	}
	refused := func(err string, attributes at, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "DeformablePSROIPooling-1", Attributes: attributes, Inputs: inputs, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		good("f32[7,2,3,3]", plain, "f32[1,8,9,9]", "f32[7,5]", "f32[7,4,2,2]"),
		good("i32[1..7,2,1,1]", plain[:2], "i32[?,?,?,?]", "f16[1..7,5]"),
		good("f32[?,2,3,3]", plain, "f32[...]", "f32[...]", "f32[...]"),

		refused("data has shape [1,8,9], expected rank 4", plain, "f32[1,8,9]", "f32[7,5]"),
		refused("rois has shape [7], expected rank 2", plain, "f32[1,8,9,9]", "f32[7]"),
		refused("offsets has shape [7,4], expected rank 4", plain, "f32[1,8,9,9]", "f32[7,5]", "f32[7,4]"),
		refused("attribute output_dim: 0 is outside [1,1073741824]", nil, "f32[1,8,9,9]", "f32[7,5]"),
		refused("attribute group_size: 0 is outside [1,1073741824]", at{"output_dim", "2", "group_size", "0"}, "f32[1,8,9,9]", "f32[7,5]"),
	})
}
