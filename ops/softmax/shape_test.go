package softmax

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	const one, eight, log = "Softmax-1", "Softmax-8", "LogSoftmax-5"
	axis := func(n string) layertest.Attributes { return layertest.Attributes{"axis", n} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Type: one, Attributes: axis("1"), Inputs: []string{"f32[2,3]"}, Want: "f32[2,3]"},
		{Type: one, Inputs: []string{"f32[?]"}, Want: "f32[?]"},
		{Type: one, Attributes: axis("-1"), Inputs: []string{"f32[...]"}, Want: "f32[...]"},
		{Type: one, Attributes: axis("-1"), Inputs: []string{"f32[2,3]"}, Error: "axis -1 is negative"},
		{Type: one, Attributes: axis("2"), Inputs: []string{"f32[2,3]"}, Error: "axis 2 is outside [-2,1] for rank 2"},
		{Type: one, Inputs: []string{"f32[]"}, Want: "f32[]"},

		{Type: eight, Attributes: axis("-2"), Inputs: []string{"f16[2..3,?]"}, Want: "f16[2..3,?]"},
		{Type: eight, Attributes: axis("9"), Inputs: []string{"f32[...]"}, Want: "f32[...]"},
		{Type: eight, Inputs: []string{"f32[2,3]"}, Want: "f32[2,3]"},
		{Type: eight, Attributes: axis("-1"), Inputs: []string{"f32[]"}, Want: "f32[]"},
		{Type: eight, Inputs: []string{"f32[]"}, Error: "axis 1 is outside [-1,0] for rank 1"},
		{Type: eight, Inputs: []string{"f32[2]"}, Error: "axis 1 is outside [-1,0] for rank 1"},
		{Type: eight, Attributes: axis("-9223372036854775808"), Inputs: []string{"f32[2]"},
			Error: "axis -9223372036854775808 is outside [-1,0] for rank 1"},

		{Type: log, Attributes: axis("-1"), Inputs: []string{"dynamic[4,0]"}, Want: "dynamic[4,0]"},
		{Type: log, Inputs: []string{"f32[...]"}, Want: "f32[...]"},
		{Type: log, Inputs: []string{"f32[2]"}, Error: "axis 1 is outside [-1,0] for rank 1"},
		{Type: log, Attributes: axis("last"), Inputs: []string{"f32[2]"}, Error: `attribute axis: "last" is not a 64-bit whole number`},
	})
}
