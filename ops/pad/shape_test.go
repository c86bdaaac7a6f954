package pad

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	mode := func(name string) layertest.Attributes { return layertest.Attributes{"pad_mode", name} }
	zero := "i64[1]=0"
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[2,3]", "i64[2]=1,0", "i32[2]=2,3", "f32[]"}, Want: "f32[5,6]"},
		{Version: 12, Inputs: []string{"string[5,3]", "i64[2]=-1,2", "u8[2]=0,0"}, Want: "string[4,5]"},
		{Version: 12, Attributes: mode("edge"), Inputs: []string{"u4[3]", "i64[1]=9", "i64[1]=-12", "f32[1,1]"}, Want: "u4[0]"},
		{Version: 12, Attributes: mode("REFLECT"), Inputs: []string{"f32[3]", "i64[1]=2", "i64[1]=2"}, Want: "f32[7]"},
		{Version: 12, Attributes: mode("symmetric"), Inputs: []string{"f32[3]", "i64[1]=3", "i64[1]=3"}, Want: "f32[9]"},
		{Version: 12, Attributes: mode("edge"), Inputs: []string{"f32[0]", zero, zero}, Want: "f32[0]"},
		{Version: 12, Inputs: []string{"f32[]", "i64[0]=", "i64[0]="}, Want: "f32[]"},
		{Version: 12, Inputs: []string{"dynamic[1]", zero, zero, "f16[]"}, Want: "f16[1]"},

		{Version: 1, Attributes: mode("wrap"), Inputs: []string{"f32[2]", zero, zero}, Error: `attribute pad_mode: "wrap" is none of constant, edge, reflect, symmetric`},
		{Version: 1, Inputs: []string{"f32[2]", zero, zero, "i32[]"}, Error: "data is f32, pad_value is i32"},
		{Version: 1, Inputs: []string{"f32[2]", zero, zero, "f32[1]"}, Error: "pad_value has shape [1], expected rank 0"},
		{Version: 1, Inputs: []string{"f32[...]", "f32[1]", zero}, Error: "pads_begin is f32, not a type of integers"},
		{Version: 1, Inputs: []string{"f32[...]", zero, "i64[1,1]"}, Error: "pads_end has shape [1,1], expected rank 1"},
		{Version: 1, Inputs: []string{"f32[2,2]", zero, zero}, Error: "pads_begin has 1 elements, data of shape [2,2] has 2 axes"},
		{Version: 1, Inputs: []string{"f32[2]", "i64[?]", "i64[2]"}, Error: "pads_end has 2 elements, data of shape [2] has 1 axes"},
		{Version: 1, Attributes: mode("edge"), Inputs: []string{"f32[0]", zero, "i64[1]=1"}, Error: "pads_end[0] is 1, mode edge allows 0 at most for an axis of 0 elements"},
		{Version: 1, Attributes: mode("reflect"), Inputs: []string{"f32[3]", "i64[1]=3", zero}, Error: "pads_begin[0] is 3, mode reflect allows 2 at most for an axis of 3 elements"},
		{Version: 1, Attributes: mode("symmetric"), Inputs: []string{"f32[3]", zero, "i64[1]=4"}, Error: "pads_end[0] is 4, mode symmetric allows 3 at most for an axis of 3 elements"},

		{Version: 12, Inputs: []string{"f32[3..7]", "i64[1]=-3", "i64[1]=-2"}, Want: "f32[..2]"},
		{Version: 12, Inputs: []string{"f32[3..]", "i64[1]=2", "i64[1]=3"}, Want: "f32[8..]"},
		{Version: 12, Inputs: []string{"f32[?]", zero, zero}, Want: "f32[?]"},
		{Version: 12, Inputs: []string{"f32[5]", "i64[1]=2..4", "i64[1]=1..3"}, Want: "f32[8..12]"},
		{Version: 12, Inputs: []string{"f32[5]", "i64[1]=0..", "i64[1]=1"}, Want: "f32[6..]"},
		{Version: 12, Inputs: []string{"f32[5..6]", "i64[1]=-3", "i64[1]=-4"}, Want: "f32[?]"},
		{Version: 12, Inputs: []string{"f32[5]", "i64[1]=-3", "i64[1]=-3"}, Error: "pads_begin[0] is -3, pads_end[0] is -3: they take more than the 5 elements of the axis"},
		{Version: 12, Inputs: []string{"f32[5]", "i64[1]=4611686018427387904", "i64[1]=4611686018427387904"}, Want: "f32[?]"},
		{Version: 12, Inputs: []string{"f32[5]", "i32[1]=2147483647", zero}, Want: "f32[?]"},
		{Version: 12, Inputs: []string{"f32[5]", "i64[1]", zero}, Want: "f32[?]"},
		{Version: 12, Inputs: []string{"f32[5,5]", "i64[1]", "i64[...]"}, Want: "f32[?,?]"},
		{Version: 12, Inputs: []string{"f32[...]", "i64[1]=1", "i64[1]=2"}, Want: "f32[...]"},

		{Version: 12, Inputs: []string{"i64[2]=1,2..3", "i64[1]=1", "i64[1]=-1", "i64[]=7"}, Want: "i64[2]=7,1"},
		{Version: 12, Inputs: []string{"i64[2]=1,2..3", "i64[1]=1", "i64[1]=1"}, Want: "i64[4]=0,1,2..3,0"},
		{Version: 12, Inputs: []string{"i64[2]=1,2", "i64[1]=1", "i64[1]=1", "i64[]"}, Want: "i64[4]"},
		{Version: 12, Attributes: mode("reflect"), Inputs: []string{"i64[3]=1,2..5,3", "i64[1]=2", "i64[1]=1"}, Want: "i64[6]=3,2..5,1,2..5,3,2..5"},
		{Version: 12, Attributes: mode("symmetric"), Inputs: []string{"i64[3]=1,2,3", "i64[1]=2", "i64[1]=1"}, Want: "i64[6]=2,1,1,2,3,3"},
		{Version: 12, Attributes: mode("edge"), Inputs: []string{"i64[1,2]=1,2", "i64[2]=1,-1", "i64[2]=0,2"}, Want: "i64[2,3]=2,2,2,2,2,2"},
	})
}

func TestCutsMore(t *testing.T) {
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -7, -2, -1, 0, 1, 5, math.MaxInt64}
	for _, n := range []int64{0, 1, 5, math.MaxInt64} {
		for _, begin := range ends {
			for _, end := range ends {
				sum := new(big.Int).Add(big.NewInt(n), big.NewInt(begin))
				assert.Equal(t, sum.Add(sum, big.NewInt(end)).Sign() < 0, cutsMore(n, begin, end), "%d %d %d", n, begin, end)
			}
		}
	}
}
