package activation

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	const hardSigmoid, selu, swish = "HardSigmoid-1", "Selu-1", "Swish-4"
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Type: hardSigmoid, Inputs: []string{"f32[2,3..5,?]", "f32[]", "f32[]"}, Want: "f32[2,3..5,?]"},
		{Type: hardSigmoid, Inputs: []string{"f16[...]", "f16[?]", "f16[...]"}, Want: "f16[...]"},
		{Type: hardSigmoid, Inputs: []string{"dynamic[]", "dynamic[]", "dynamic[]"}, Want: "dynamic[]"},
		{Type: hardSigmoid, Inputs: []string{"f32[2]", "f32[1]", "f32[]"}, Error: "alpha has shape [1], not that of a scalar"},
		{Type: hardSigmoid, Inputs: []string{"f32[2]", "f32[]", "f32[2]"}, Error: "beta has shape [2], not that of a scalar"},
		{Type: hardSigmoid, Inputs: []string{"f32[2]", "f16[]", "f32[]"}, Error: "input 1 is f16, data is f32"},
		{Type: hardSigmoid, Inputs: []string{"f32[2]", "f32[]", "dynamic[]"}, Error: "input 2 is dynamic, data is f32"},

		{Type: selu, Inputs: []string{"f32[2,?]", "f32[1]", "f32[]"}, Want: "f32[2,?]"},
		{Type: selu, Inputs: []string{"dynamic[...]", "bf16[]", "dynamic[]"}, Want: "bf16[...]"},
		{Type: selu, Inputs: []string{"f32[2]", "f32[]", "f64[]"}, Error: "lambda is f64, the inputs before it are f32"},
		{Type: selu, Inputs: []string{"i32[2]", "i32[]", "i32[]"}, Error: "data is i32, expected a floating-point type"},

		{Type: swish, Inputs: []string{"f32[2,..3]"}, Want: "f32[2,..3]"},
		{Type: swish, Inputs: []string{"f16[...]", "f16[]"}, Want: "f16[...]"},
		{Type: swish, Inputs: []string{"dynamic[1]", "dynamic[...]"}, Want: "dynamic[1]"},
		{Type: swish, Inputs: []string{"f32[2]", "f32[?]"}, Error: "beta has shape [?], expected rank 0"},
		{Type: swish, Inputs: []string{"f32[2]", "dynamic[]"}, Error: "input 1 is dynamic, data is f32"},
		{Type: swish, Inputs: []string{"nf4[2]"}, Error: "data is nf4, expected a floating-point type"},
	})
}
