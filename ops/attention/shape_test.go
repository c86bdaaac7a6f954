package attention

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	causal := layertest.Attributes{"causal", "true"}
	inputs := func(more ...string) []string {
		return append([]string{"f32[2,3,5,8]", "f32[2,3,7,8]", "f32[2,3,7,9]"}, more...)
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 13, Inputs: inputs(), Want: "f32[2,3,5,9]"},
		{Version: 13, Inputs: []string{"f16[4,5,8]", "f16[1,7,8]", "f16[2,1,7,9]"}, Want: "f16[2,4,5,9]"},
		{Version: 13, Inputs: []string{"f32[?,3,2..5,8]", "f32[2,?,?,..8]", "f32[1..2,3,7,9..]"}, Want: "f32[2,3,2..5,9..]"},
		{Version: 13, Inputs: []string{"dynamic[...]", "f32[2,7,8]", "f32[2,7,9]"}, Want: "f32[...]"},
		{Version: 13, Inputs: []string{"f32[2,5,8]", "f32[...]", "dynamic[...]"}, Want: "f32[2,5,?]"},
		{Version: 13, Inputs: []string{"f32[5,8]", "f32[2,7,8]", "f32[2,7,9]"}, Error: "query has shape [5,8], expected at least rank 3"},
		{Version: 13, Inputs: []string{"f32[2,5,8]", "f32[2,7,6]", "f32[2,7,9]"}, Error: "key has shape [2,7,6], which does not fit query of shape [2,5,8]"},
		{Version: 13, Inputs: []string{"f32[2,5,8]", "f32[3,7,8]", "f32[2,7,9]"}, Error: "key has shape [3,7,8], which does not fit query of shape [2,5,8]"},
		{Version: 13, Inputs: []string{"f32[2,5,8]", "f32[2,7,8]", "f32[2,6,9]"}, Error: "value has shape [2,6,9], which does not fit query of shape [2,5,8] and key of shape [2,7,8]"},
		{Version: 13, Inputs: []string{"f32[2,5,8]", "f16[2,7,8]", "f32[2,7,9]"}, Error: "input 1 is f16, the inputs before it are f32"},
		{Version: 13, Inputs: []string{"i32[2,5,8]", "i32[2,7,8]", "i32[2,7,9]"}, Error: "query is i32, expected a floating-point type"},

		{Version: 13, Inputs: inputs("f32[5,7]"), Want: "f32[2,3,5,9]"},
		{Version: 13, Inputs: inputs("boolean[]"), Want: "f32[2,3,5,9]"},
		{Version: 13, Inputs: inputs("boolean[3,1,5,1]"), Error: "attention_mask has shape [3,1,5,1], which does not fit matrices of 5 by 7 in batches [2,3]"},
		{Version: 13, Inputs: inputs("boolean[4,2,1,5,7]"), Want: "f32[4,2,3,5,9]"},
		{Version: 13, Inputs: inputs("f32[7]"), Error: "attention_mask has shape [7], which does not fit matrices of 5 by 7 in batches [2,3]"},
		{Version: 13, Inputs: inputs("f32[4,7]"), Error: "attention_mask has shape [4,7], which does not fit matrices of 5 by 7 in batches [2,3]"},
		{Version: 13, Inputs: inputs("i8[5,7]"), Error: "input 3 is i8, the inputs before it are f32"},
		{Version: 13, Attributes: causal, Inputs: inputs("i8[7]"), Want: "f32[2,3,5,9]"},

		{Version: 13, Inputs: inputs("f32[]", "f32[1]"), Want: "f32[2,3,5,9]"},
		{Version: 13, Inputs: inputs("f32[]", "f32[?]"), Want: "f32[2,3,5,9]"},
		{Version: 13, Inputs: inputs("f32[]", "f32[2]"), Error: "scale has shape [2], not that of a scalar or of one element"},
		{Version: 13, Inputs: inputs("f32[]", "f32[?,?]"), Error: "scale has shape [?,?], not that of a scalar or of one element"},
		{Version: 13, Inputs: inputs("f32[]", "f32[]", "f32[1,3,1,1]"), Want: "f32[2,3,5,9]"},
		{Version: 13, Inputs: inputs("f32[]", "f32[2]", "f32[1,1,1,1]"), Want: "f32[2,3,5,9]"},
		{Version: 13, Inputs: inputs("f32[]", "f32[]", "f32[...]"), Want: "f32[2,3,5,9]"},
		{Version: 13, Inputs: inputs("f32[]", "f32[]", "f32[3,1,1]"), Error: "sink has shape [3,1,1], which does not fit query of shape [2,3,5,8]"},
		{Version: 13, Inputs: inputs("f32[]", "f32[]", "f32[1,3,1,8]"), Error: "sink has shape [1,3,1,8], which does not fit query of shape [2,3,5,8]"},
		{Version: 13, Inputs: inputs("f32[]", "f32[]", "f32[1,4,1,1]"), Error: "sink has shape [1,4,1,1], which does not fit query of shape [2,3,5,8]"},
	})
}
