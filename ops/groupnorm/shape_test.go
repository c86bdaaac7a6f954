package groupnorm

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	groups := func(n string) layertest.Attributes { return layertest.Attributes{"num_groups", n, "epsilon", "1e-5"} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 12, Attributes: groups("2"), Inputs: []string{"f32[1,4,5]", "f32[4]", "f32[4]"}, Want: "f32[1,4,5]"},
		{Version: 12, Attributes: groups("2"), Inputs: []string{"f16[?,2..5,?]", "f16[4..]", "f16[...]"}, Want: "f16[?,2..5,?]"},
		{Version: 12, Attributes: groups("3"), Inputs: []string{"f32[...]", "f32[4]", "f32[?]"}, Want: "f32[...]"},
		{Version: 12, Attributes: groups("1"), Inputs: []string{"dynamic[2,3]", "i8[3]", "f32[3]"}, Want: "dynamic[2,3]"},
		{Version: 12, Attributes: groups("3"), Inputs: []string{"f32[1,4]", "f32[4]", "f32[4]"},
			Error: "data has shape [1,4], whose channels do not make 3 groups"},
		{Version: 12, Attributes: groups("8"), Inputs: []string{"f32[1,4]", "f32[4]", "f32[4]"},
			Error: "data has shape [1,4], whose channels do not make 8 groups"},
		{Version: 12, Attributes: groups("9223372036854775807"), Inputs: []string{"f32[1,0]", "f32[0]", "f32[0]"},
			Error: "data has shape [1,0], whose channels do not make 9223372036854775807 groups"},
		{Version: 12, Attributes: groups("2"), Inputs: []string{"f32[?]", "f32[4]", "f32[4]"},
			Error: "data has shape [?], which has no axis of channels"},
		{Version: 12, Attributes: groups("2"), Inputs: []string{"f32[1,4]", "f32[1,4]", "f32[4]"}, Error: "scale has shape [1,4], expected rank 1"},
		{Version: 12, Attributes: groups("2"), Inputs: []string{"f32[1,4]", "f32[4]", "f32[]"}, Error: "bias has shape [], expected rank 1"},
		{Version: 12, Attributes: groups("2"), Inputs: []string{"f32[1,2..3]", "f32[?]", "f32[4]"},
			Error: "bias has shape [4], not the length of the channels of data, [1,2..3]"},
		{Version: 12, Attributes: groups("2"), Inputs: []string{"f32[...]", "f32[4]", "f32[2]"}, Error: "scale has shape [4], bias has shape [2]"},
		{Version: 12, Attributes: groups("0"), Inputs: []string{"f32[1,4]", "f32[4]", "f32[4]"}, Error: "attribute num_groups: 0 is not positive"},
		{Version: 12, Inputs: []string{"f32[1,4]", "f32[4]", "f32[4]"}, Error: "attribute num_groups: 0 is not positive"},
	})
}
