package reshape

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

var specialZero = layertest.Attributes{"special_zero", "true"}

func TestShapes(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[2,3,4]", "i64[2]=6,4"}, Want: "f32[6,4]"},
		{Version: 1, Inputs: []string{"f32[2,3,4]", "i32[2]=-1,8"}, Want: "f32[3,8]"},
		{Version: 1, Inputs: []string{"string[1,1]", "i64[0]="}, Want: "string[]"},
		{Version: 1, Inputs: []string{"f32[]", "i64[3]=1,-1,1"}, Want: "f32[1,1,1]"},
		{Version: 1, Inputs: []string{"f32[1]", "i64[0]="}, Want: "f32[]"},
		{Version: 1, Inputs: []string{"f32[0,3]", "i64[2]=0,7"}, Want: "f32[0,7]"},
		{Version: 1, Inputs: []string{"f32[0,3]", "i64[2]=0,-1"}, Want: "f32[0,1]"},
		{Version: 1, Attributes: specialZero, Inputs: []string{"f32[2,3,4]", "i64[3]=0,-1,2"}, Want: "f32[2,6,2]"},
		{Version: 1, Attributes: specialZero, Inputs: []string{"f32[2,3]", "i64[2]=0,0"}, Want: "f32[2,3]"},
		{Version: 1, Attributes: specialZero, Inputs: []string{"f32[0,3]", "i64[2]=0,-1"}, Want: "f32[0,3]"},
		{Version: 1, Attributes: specialZero, Inputs: []string{"f32[2,3]", "i64[3]=2,-1,0"}, Error: "shape[2] is 0, data of shape [2,3] has no such axis"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=4,2"}, Error: "data of shape [2,3] cannot become [4,2]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=4,-1"}, Error: "the elements of data of shape [2,3] do not divide into [4 -1]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=0,-1"}, Error: "shape [0 -1] asks for no elements, data of shape [2,3] has some"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=-1,-1"}, Error: "shape has -1 at 0 and at 1, one at most is allowed"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[1]=-2"}, Error: "shape[0] is from -2 to -2"},
		{Version: 1, Inputs: []string{"f32[1]", "i64[]=1"}, Error: "shape has shape [], not that of a vector"},
		{Version: 1, Inputs: []string{"f32[...]", "i64[]"}, Error: "shape has shape [], not that of a vector"},
		{Version: 1, Inputs: []string{"f32[6]", "f32[1]"}, Error: "shape is f32, not a type of integers"},
		{Version: 1, Inputs: []string{"f32[6]", "i64[1,2]=2,3"}, Error: "shape has shape [1,2], not that of a vector"},

		{Version: 1, Inputs: []string{"f32[?,3,4]", "i64[2]=-1,12"}, Want: "f32[?,12]"},
		{Version: 1, Inputs: []string{"f32[2..6,3,4]", "i64[2]=-1,6"}, Want: "f32[4..12,6]"},
		{Version: 1, Inputs: []string{"f32[?,3,4]", "i64[3]=-1,4,3"}, Want: "f32[?,4,3]"},
		{Version: 1, Inputs: []string{"f32[1..,3]", "i64[2]=-1,2"}, Want: "f32[2..,2]"},
		{Version: 1, Inputs: []string{"f32[2..3,5]", "i64[2]=-1,7..9"}, Want: "f32[2,7..9]"},
		{Version: 1, Inputs: []string{"f32[?,4]", "i64[2]=1..2,?"}, Want: "f32[1..2,?]"},
		{Version: 1, Attributes: specialZero, Inputs: []string{"f32[?,2..4]", "i64[3]=0,-1,1"}, Want: "f32[?,2..4,1]"},
		{Version: 1, Inputs: []string{"f32[1..2]", "i64[2]=3,-1"}, Error: "the elements of data of shape [1..2] do not divide into [3 -1]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[4]"}, Want: "f32[?,?,?,?]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[?]"}, Want: "f32[...]"},
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[...]"}, Want: "f32[...]"},
		{Version: 1, Inputs: []string{"f32[...]", "i64[2]=2,3"}, Want: "f32[2,3]"},
		{Version: 1, Inputs: []string{"f32[...]", "i64[2]=2,-1"}, Want: "f32[2,1..]"},
		{Version: 1, Attributes: specialZero, Inputs: []string{"f32[...]", "i64[3]=0,-1,2"}, Want: "f32[?,?,2]"},
	})
}

func TestBounds(t *testing.T) {
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"i64[4]=1,2..5,?,7", "i64[2]=2,2"}, Want: "i64[2,2]=1,2..5,?,7"},
		{Version: 1, Inputs: []string{"i64[1]=3..", "i64[0]="}, Want: "i64[]=3.."},
		{Version: 1, Inputs: []string{"i64[4]=1,2,3,4", "i64[2]=2,1..2"}, Want: "i64[2,1..2]"},
	})
}

func TestView(t *testing.T) {
	for _, elementType := range layertest.Types() {
		data := layertest.Counted(t, elementType, 2, 3, 4)
		got, err := layertest.Run(&Ops[0], specialZero, 2, data, layertest.Ints(t, ir.I32, ir.Shape{2}, 0, -1))
		require.NoError(t, err)
		assert.Equal(t, ir.Shape{2, 12}, got.Shape())
		assert.Equal(t, layertest.Elements(data), layertest.Elements(got), "%v", elementType)
	}
}

// TestDivide compares the bounds of -1 with every exact division.
func TestDivide(t *testing.T) {
	for a := range int64(13) {
		for b := a; b < 13; b++ {
			for c := int64(1); c < 6; c++ {
				for d := c; d < 6; d++ {
					got, ok := divide(ir.DimRange(a, b), ir.DimRange(c, d))
					for n := a; n <= b; n++ {
						for by := c; by <= d; by++ {
							if n%by == 0 {
								require.True(t, ok && got.Contains(n/by), "%d..%d by %d..%d: %v", a, b, c, d, got)
							}
						}
					}
				}
			}
		}
	}
}
