package experimentaldetectrondetectionoutput

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	at := func(classes, most string) layertest.Attributes {
		return layertest.Attributes{"num_classes", classes, "max_detections_per_image", most, "deltas_weights", "10,10,5,5"}
	}
	in := func(rois, deltas, scores, info string) []string { return []string{rois, deltas, scores, info} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 6, Attributes: at("3", "7"), Inputs: in("f32[9,4]", "f32[9,12]", "f32[9,3]", "f32[1,3]"), Want: "f32[7,4] i32[7] f32[7]"},
		{Version: 6, Attributes: at("3", "7"), Inputs: in("f16[1..9,?]", "f16[...]", "dynamic[?,1..3]", "f16[...]"), Want: "f16[7,4] i32[7] f16[7]"},
		{Version: 6, Attributes: at("3", "7"), Inputs: in("f32[9,4]", "f32[8,12]", "f32[...]", "f32[1,3]"), Want: "f32[7,4]"},
		{Version: 6, Attributes: at("3", "-1"), Inputs: in("f32[...]", "f32[...]", "f32[...]", "f32[?,?]"), Want: "f32[?,4] i32[?] f32[?]"},
		{Version: 6, Attributes: at("-1", "7"), Inputs: in("f32[9,4]", "f32[9,0]", "f32[9,5]", "f32[1,3]"), Want: "f32[7,4]"},

		{Version: 6, Attributes: at("3", "7"), Inputs: in("f32[9]", "f32[9,12]", "f32[9,3]", "f32[1,3]"), Error: "rois has shape [9], expected rank 2"},
		{Version: 6, Attributes: at("3", "7"), Inputs: in("f32[9,5]", "f32[9,12]", "f32[9,3]", "f32[1,3]"), Error: "rois has shape [9,5]: axis 1 is 5, expected 4"},
		{Version: 6, Attributes: at("3", "7"), Inputs: in("f32[9,4]", "f32[9,13]", "f32[9,3]", "f32[1,3]"), Error: "deltas has shape [9,13]: axis 1 is 13, expected 12"},
		{Version: 6, Attributes: at("3", "7"), Inputs: in("f32[9,4]", "f32[9,12]", "f32[9,4]", "f32[1,3]"), Error: "scores has shape [9,4]: axis 1 is 4, expected 3"},
		{Version: 6, Attributes: at("3", "7"), Inputs: in("f32[9,4]", "f32[9,12]", "f32[8,3]", "f32[1,3]"), Error: "input 2 has 8 regions, the inputs before it 9"},
		{Version: 6, Attributes: at("3", "7"), Inputs: in("f32[1..2,4]", "f32[?,12]", "f32[3..,3]", "f32[1,3]"), Error: "input 2 has 3.. regions, the inputs before it 1..2"},
		{Version: 6, Attributes: at("3", "7"), Inputs: in("f32[9,4]", "f32[9,12]", "f32[9,3]", "f32[3]"), Error: "im_info has shape [3], expected [1,3]"},
		{Version: 6, Attributes: at("3", "7"), Inputs: in("f32[9,4]", "f32[9,12]", "f32[9,3]", "f16[1,3]"), Error: "input 3 is f16, the inputs before it are f32"},
		{Version: 6, Attributes: at("x", "7"), Inputs: in("f32[9,4]", "f32[9,12]", "f32[9,3]", "f16[1,3]"), Error: `attribute num_classes: "x" is not a 64-bit whole number`},
		{Version: 6, Attributes: at("3", "7"), Inputs: in("f32[9,4]", "f32[9,12]", "f32[9,3]", "f32[1,3]"), Want: "f32[7,4] i32[7] f32[7] i32[7]", Error: "the layer has 4 outputs in the file, its type has 3"},
	})
}
