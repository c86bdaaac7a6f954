package einsum

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	equation := func(e string) layertest.Attributes { return layertest.Attributes{"equation", e} }
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 7, Attributes: equation("ab,bc->ac"), Inputs: []string{"f32[2,3]", "f32[3,4]"}, Want: "f32[2,4]"},
		{Version: 7, Attributes: equation("ab,cb->ca"), Inputs: []string{"i32[?,3]", "i32[2..4,..3]"}, Want: "i32[2..4,?]"},
		{Version: 7, Attributes: equation("ab->"), Inputs: []string{"f32[2,3]"}, Want: "f32[]"},
		{Version: 7, Attributes: equation("ab->aab"), Inputs: []string{"f32[2,3]"}, Want: "f32[2,2,3]"},
		{Version: 7, Attributes: equation("aa->a"), Inputs: []string{"f32[2,?]"}, Want: "f32[2]"},
		{Version: 7, Attributes: equation("ab,ab->ab"), Inputs: []string{"f32[1,3]", "f32[4,?]"}, Want: "f32[4,3]"},
		{Version: 7, Attributes: equation("a,->a"), Inputs: []string{"f32[2]", "f32[]"}, Want: "f32[2]"},
		{Version: 7, Attributes: equation("ab,bc->ac"), Inputs: []string{"f32[...]", "f32[3,4]"}, Want: "f32[?,4]"},
		{Version: 7, Attributes: equation("a,b->b"), Inputs: []string{"dynamic[2]", "f32[3]"}, Want: "dynamic[3]"},

		{Version: 7, Attributes: equation("...ab,...bc->...ac"), Inputs: []string{"f32[5,1,2,3]", "f32[?,3,4]"}, Want: "f32[5,?,2,4]"},
		{Version: 7, Attributes: equation("a...->a"), Inputs: []string{"f32[2,3,4]"}, Want: "f32[2]"},
		{Version: 7, Attributes: equation("ab,...->...ab"), Inputs: []string{"f32[2,3]", "f32[]"}, Want: "f32[2,3]"},
		{Version: 7, Attributes: equation("a...,...b->...ab"), Inputs: []string{"f32[2,3]", "f32[...]"}, Want: "f32[...]"},
		{Version: 7, Attributes: equation("a...,...b->ab"), Inputs: []string{"f32[2,3]", "f32[...]"}, Want: "f32[2,?]"},

		{Version: 7, Attributes: equation("ba"), Inputs: []string{"f32[2,3]"}, Want: "f32[3,2]"},
		{Version: 7, Attributes: equation("bA,ac"), Inputs: []string{"f32[2,3]", "f32[4,5]"}, Want: "f32[3,4,2,5]"},
		{Version: 7, Attributes: equation("ab..."), Inputs: []string{"f32[2,3,4]"}, Want: "f32[4,2,3]"},
		{Version: 7, Attributes: equation("aab"), Inputs: []string{"f32[2,2,3]"}, Want: "f32[2,2,3]"},
		{Version: 7, Inputs: []string{"f32[]"}, Want: "f32[]"},

		{Version: 7, Attributes: equation("a b->ab"), Inputs: []string{"f32[2,3]"}, Error: `attribute equation: ' ' is no letter`},
		{Version: 7, Attributes: equation("ab->a->b"), Inputs: []string{"f32[2,3]"}, Error: `attribute equation: '-' is no letter`},
		{Version: 7, Attributes: equation("a..b"), Inputs: []string{"f32[2,3]"}, Error: "attribute equation: the dots are not one ellipsis"},
		{Version: 7, Attributes: equation("...a..."), Inputs: []string{"f32[2,3]"}, Error: "attribute equation: the dots are not one ellipsis"},
		{Version: 7, Attributes: equation("ab->abc"), Inputs: []string{"f32[2,3]"}, Error: "label 'c' of the output is in no input"},
		{Version: 7, Attributes: equation("ab,->"), Inputs: []string{"f32[2,3]"}, Error: "equation names 2 inputs, there are 1"},
		{Version: 7, Attributes: equation("ab->"), Inputs: []string{"f32[2,3,4]"}, Error: "input 0 has shape [2,3,4], its 2 labels want another rank"},
		{Version: 7, Attributes: equation("ab...->"), Inputs: []string{"f32[2]"}, Error: "input 0 has shape [2], its 2 labels want a higher rank"},
		{Version: 7, Attributes: equation("aa->a"), Inputs: []string{"f32[2,1]"}, Error: "input 0 has shape [2,1], whose axes labelled 'a' differ"},
		{Version: 7, Attributes: equation("ab,bc"), Inputs: []string{"f32[2,3]", "f32[4,5]"},
			Error: "input 1 has shape [4,5], whose axes labelled 'b' do not broadcast with those before, [3]"},
		{Version: 7, Attributes: equation("...,...->..."), Inputs: []string{"f32[2]", "f32[3]"},
			Error: "input 1 has shape [3], whose axes labelled '.' do not broadcast with those before, [2]"},
		{Version: 7, Attributes: equation("a,a"), Inputs: []string{"f32[2]", "i32[2]"}, Error: "input 1 is i32, input 0 is f32"},
		{Version: 7, Attributes: equation("a"), Inputs: []string{"boolean[2]"}, Error: "input 0 is boolean, which has no arithmetic"},
	})
}

// TestParse_long parses an equation with many inputs that have the same labels.
func TestParse_long(t *testing.T) {
	at, err := parseEquation(strings.Repeat("abz,", 100000) + "q")
	assert.NoError(t, err)
	assert.Len(t, at.inputs, 100001)
	assert.Equal(t, subscript("q"), at.output)
}
