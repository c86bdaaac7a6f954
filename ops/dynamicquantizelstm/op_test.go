package dynamicquantizelstm

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	// T is 5, N 2, I 3 and S 4
	inputs := func(changes ...string) []string {
		list := []string{
			"f32[5,2,3]", "i32[2]", "f32[1,2,4]", "f32[1,2,4]",
			"i8[1,3,16]", "f32[1]", "i8[1]", "u8[1,4,16]", "f32[1,16]", "u8[1,16]", "f32[1,32]",
		}
		for i, v := range changes {
			if v != "" {
				list[i] = v
			}
		}
		return list
	}
	two := layertest.Attributes{"direction", "bidirectional"}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Inputs: inputs(), Want: "f32[5,1,2,4] f32[1,2,4] f32[1,2,4]"},
		{Inputs: inputs("f32[?,?,3]", "i64[?]", "f32[?,..9,?]", "dynamic[...]", "", "", "", "u8[...]"), Want: "f32[?,1,..9,?] f32[1,..9,?] f32[1,..9,?]"},
		{
			Attributes: two, Inputs: inputs("", "", "f32[2,2,4]", "f32[2,2,4]", "i8[2,3,16]", "f32[2]", "i8[2,16]", "i8[2,4,16]", "f32[2,16]", "i8[2]", "f32[2,32]"),
			Want: "f32[5,2,2,4] f32[2,2,4] f32[2,2,4]",
		},
		{Attributes: layertest.Attributes{"direction", "reverse", "activations", "relu,tanh,hardsigmoid", "clip", "2"}, Inputs: inputs(), Want: "f32[5,1,2,4] f32[1,2,4] f32[1,2,4]"},
		{Attributes: two, Inputs: inputs(), Error: "H has shape [1,2,4]: axis 0 has length 1, the inputs before it need 2"},
		{Inputs: inputs("f32[5,2]"), Error: "X has shape [5,2], expected rank 3"},
		{Inputs: inputs("", "i32[3]"), Error: "lengths has shape [3]: axis 0 has length 3, the inputs before it need 2"},
		{Inputs: inputs("", "", "", "", "", "", "", "u8[1,4,12]"), Error: "R has shape [1,4,12]: axis 2 has length 12, the inputs before it need 16"},
		{Inputs: inputs("", "", "", "", "i8[1,3,12]", "", "", "u8[1,4,12]"), Error: "W and R have 12 columns, 4 gates of length 4 need 16"},
		{Inputs: inputs("", "", "", "", "", "f32[1,4]"), Error: "the scale of W has shape [1,4]: axis 1 has length 4, the inputs before it need 16"},
		{Inputs: inputs("", "", "", "", "", "", "", "", "", "", "f32[1,16]"), Error: "B has shape [1,16]: axis 1 has length 16, the inputs before it need 32"},
		{Inputs: inputs("f16[5,2,3]"), Error: "input 0 is f16: lengths are integers, weights and zero points i8 or u8, and the others f32"},
		{Inputs: inputs("", "f32[2]"), Error: "input 1 is f32: lengths are integers, weights and zero points i8 or u8, and the others f32"},
		{Inputs: inputs("", "", "", "", "", "", "u8[1]"), Error: "input 6 is u8: lengths are integers, weights and zero points i8 or u8, and the others f32"},
		{Attributes: layertest.Attributes{"activations", "elu,tanh,tanh"}, Inputs: inputs(), Error: `attribute activations: "elu" is none of sigmoid, tanh, relu, hardsigmoid`},
		{Attributes: layertest.Attributes{"activations", "tanh"}, Inputs: inputs(), Error: "attribute activations: 1 are named, the cell has 3"},
	})
}
