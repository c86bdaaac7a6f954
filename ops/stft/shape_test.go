package stft

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

const (
	size8 = "i64[]=8"
	step3 = "i64[]=3"
)

func TestShapes(t *testing.T) {
	transposed := layertest.Attributes{"transpose_frames", "true"}
	row := func(attributes layertest.Attributes, want, err string, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "STFT-15", Attributes: attributes, Inputs: inputs, Want: want, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		row(nil, "f32[2,14,5,2]", "", "f32[2,48]", "f32[8]", size8, step3),
		row(transposed, "f16[2,5,14,2]", "", "f16[2,48]", "dynamic[1]", "i32[]=9", step3),
		row(nil, "f64[1,25,2]", "", "dynamic[48]", "f64[8]", "i64[]=48", step3),
		row(nil, "f32[?,1..,5,2]", "", "f32[?,?]", "f32[?]", size8, step3),
		row(transposed, "f32[5,1..11,2]", "", "f32[3..40]", "f32[..9]", size8, step3),
		row(nil, "f32[2,5..,5,2]", "", "f32[2,20..]", "f32[9..]", size8, step3),
		row(nil, "f32[2,1,5,2]", "", "f32[2,..8]", "f32[...]", size8, step3),
		row(nil, "f32[2,?,?,2]", "", "f32[2,48]", "f32[8]", "i64[...]", "i64[]=0"),
		row(nil, "f32[?,?,2]", "", "f32[48]", "f32[8]", "i64[]=8..9", step3),
		row(nil, "f32[...]", "", "f32[...]", "f32[9]", "i64[]=-8", step3),
		row(nil, "f32[2,1,4611686018427387904,2]", "", "f32[2,9223372036854775806]", "f32[8]", "i64[]=9223372036854775806", "i64[]=9223372036854775807"),

		row(nil, "", "signal is i8, expected a floating-point type", "i8[2,48]", "i8[8]", size8, step3),
		row(nil, "", "signal is f32, window is f16", "f32[2,48]", "f16[8]", size8, step3),
		row(nil, "", "frame_size is u8, expected i32 or i64", "f32[2,48]", "f32[8]", "u8[]=8", step3),
		row(nil, "", "frame_step has shape [1], expected rank 0", "f32[2,48]", "f32[8]", size8, "i64[1]=3"),
		row(nil, "", "window has shape [8,1], expected rank 1", "f32[2,48]", "f32[8,1]", size8, step3),
		row(nil, "", "signal has shape [1,2,48], expected rank 1 or 2", "f32[1,2,48]", "f32[8]", size8, step3),
		row(nil, "", "frame_size is 49, signal is of length 48", "f32[2,48]", "f32[8]", "i64[]=49", step3),
		row(nil, "", "frame_size is 0, 1 or more is needed", "f32[2,48]", "f32[8]", "i64[]=0", step3),
		row(nil, "", "window has shape [9], expected 1 to frame_size 8 elements", "f32[2,48]", "f32[9]", size8, step3),
		row(nil, "", "window has shape [0], expected 1 to frame_size 8 elements", "f32[2,48]", "f32[0]", size8, step3),
		row(nil, "", "frame_step is -1, 1 or more is needed", "f32[2,48]", "f32[8]", size8, "i64[]=-1"),
	})
}

func TestInverseShapes(t *testing.T) {
	center := layertest.Attributes{"center", "true"}
	row := func(attributes layertest.Attributes, want, err string, inputs ...string) layertest.ShapeCase {
		return layertest.ShapeCase{Type: "ISTFT-16", Attributes: attributes, Inputs: inputs, Want: want, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		row(nil, "f32[26]", "", "f32[5,7,2]", "f32[6]", size8, step3),
		row(center, "f32[2,18]", "", "f32[2,5,7,2]", "f32[6]", size8, step3),
		row(center, "f32[19]", "", "f32[5,7,3]", "f32[6]", "i64[]=9", step3),
		row(nil, "f32[8..]", "", "f32[?,?,?]", "f32[?]", size8, step3),
		row(center, "f32[?]", "", "f32[?,?,?]", "f32[?]", size8, step3),
		row(nil, "f32[8]", "", "f32[?,0,?]", "f32[?]", size8, step3),
		row(center, "f32[3..9]", "", "f32[?,2..4,?]", "f32[?]", size8, step3),
		row(nil, "f32[11]", "", "f32[6,2,?]", "f32[?]", size8, step3),
		row(nil, "f32[1,?]", "", "f32[1,5,2,2]", "f32[6]", "i64[]", step3),
		row(nil, "f32[?]", "", "f32[?,3,2]", "f32[?]", "i64[]=9", "i64[]=4611686018427387904"),
		row(nil, "f32[...]", "", "f32[...]", "f32[6]", size8, step3, "i64[2]=1,2"),
		row(nil, "f32[20]", "", "f32[5,7,2]", "f32[6]", size8, step3, "i64[]=20"),
		row(nil, "f32[3..5]", "", "f32[5,7,2]", "f32[6]", size8, step3, "i64[1]=3..5"),
		row(nil, "f32[?]", "", "f32[5,7,2]", "f32[6]", size8, step3, "i64[..3]"),

		row(nil, "", "data has shape [7,2], expected rank 3 or 4", "f32[7,2]", "f32[6]", size8, step3),
		row(nil, "", "data has shape [5,7,2], dimension 0 must be 6 for frame_size 10", "f32[5,7,2]", "f32[6]", "i64[]=10", step3),
		row(nil, "", "window has shape [9], expected 1 to frame_size 8 elements", "f32[...]", "f32[9]", size8, step3),
		row(nil, "", "frame_size is -1, 1 or more is needed", "f32[...]", "f32[9]", "i64[]=-1", step3),
		row(nil, "", "frame_step is 0, 1 or more is needed", "f32[...]", "f32[8]", "i64[]", "i64[]=0"),
		row(nil, "", "signal_length is u8, expected i32 or i64", "f32[...]", "f32[8]", size8, step3, "u8[]"),
		row(nil, "", "signal_length has shape [2], not that of a scalar or of one element", "f32[?,?,?]", "f32[8]", size8, step3, "i64[2]"),
		row(nil, "", "signal_length is negative: -1", "f32[5,7,2]", "f32[6]", size8, step3, "i64[]=-1"),
		row(nil, "", "data is f32, window is f16", "f32[...]", "f16[8]", size8, step3),
	})
}
