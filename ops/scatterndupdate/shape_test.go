package scatterndupdate

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	row := func(data, indices, updates, want, err string) layertest.ShapeCase {
		return layertest.ShapeCase{Version: 3, Inputs: []string{data, indices, updates}, Want: want, Error: err}
	}
	cases := []layertest.ShapeCase{
		row("f32[3,4]", "i64[2,1]", "f32[2,4]", "f32[3,4]", ""),
		row("f32[3,4]", "i32[5,2,2]", "f32[5,2]", "f32[3,4]", ""),
		row("u4[3,4]", "i64[2]", "u4[]", "u4[3,4]", ""),
		row("f32[3,4]", "i64[2]", "f32[2,3]", "f32[3,4]", ""),
		row("f32[3,4]", "i64[2,0]", "f32[2,3,4]", "f32[3,4]", ""),
		row("f32[3,4]", "i64[0]", "f32[3,4]", "f32[3,4]", ""),
		row("f32[3,4]", "i64[2,?]", "f32[2,9,9]", "f32[3,4]", ""),
		row("f32[3,4]", "i64[2,5..9]", "f32[2]", "f32[3,4]", ""),
		row("f32[3,4]", "i64[?,1]", "f32[5,4]", "f32[3,4]", ""),
		row("f32[3,?]", "i64[2..5,1]", "f32[4,5]", "f32[3,?]", ""),
		row("f32[3,4]", "i64[2,1]", "f32[...]", "f32[3,4]", ""),
		row("f32[3,4]", "i64[...]", "f32[7]", "f32[3,4]", ""),
		row("f32[...]", "i64[2,2]", "f32[7]", "f32[...]", ""),
		row("dynamic[3,4]", "dynamic[2,1]", "f32[2,4]", "f32[3,4]", ""),

		row("f32[]", "i64[...]", "f32[]", "", "data is a scalar, rank 1 or more is needed"),
		row("f32[...]", "i64[]", "f32[]", "", "indices are a scalar, rank 1 or more is needed"),
		row("f32[3,4]", "i64[2,3]", "f32[2]", "", "indices [2,3] hold tuples of 3, data [3,4] has rank 2"),
		row("f32[3,4]", "i64[2,1]", "f32[3,4]", "", "updates are [3,4]; data [3,4] and indices [2,1] need [2,4]"),
		row("f32[3,4]", "i64[2,1]", "f32[2,5]", "", "updates are [2,5]; data [3,4] and indices [2,1] need [2,4]"),
		row("f32[3,4]", "i64[2,0]", "f32[3,4]", "", "updates are [3,4]; data [3,4] and indices [2,0] need [2,3,4]"),
		row("f32[3,4]", "i32[2,1]", "f16[2,4]", "", "updates are f16, data is f32"),
		row("f32[3,4]", "u8[2,1]", "f32[2,4]", "", "indices are u8, not i32 or i64"),
		row("f32[3,4]", "f32[2,1]", "f32[2,4]", "", "indices are f32, not i32 or i64"),
	}
	for _, c := range cases {
		c.Version, c.Attributes = 15, layertest.Attributes{"reduction", "SUM"}
		cases = append(cases, c)
	}
	cases = append(cases, layertest.ShapeCase{
		Version: 15, Attributes: layertest.Attributes{"reduction", "mean"}, Inputs: []string{"f32[3]", "i64[1,1]", "f32[1]"},
		Error: `attribute reduction: "mean" is none of none, sum, sub, prod, min, max`,
	})
	layertest.Shapes(t, Ops, cases)
}

// TestBounds follows the values of subgraphs that compute shapes.
func TestBounds(t *testing.T) {
	row := func(data, indices, updates, want string) layertest.ShapeCase {
		return layertest.ShapeCase{Version: 15, Inputs: []string{data, indices, updates}, Want: want}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		row("i64[3]=1,?,3", "i64[1,1]=1", "i64[1]=7", "i64[3]=1,7,3"),
		row("i64[3]=1,2,3", "i64[2,1]=-1,0", "i64[2]=4..5,?", "i64[3]=?,2,4..5"),
		row("i64[2,2]=1,2,3,4", "i64[1,2]=1,0", "i64[1]=9", "i64[2,2]=1,2,9,4"),
		row("i64[3]=1,2,3", "i64[1,1]=3", "i64[1]=4", "i64[3]"),
		row("i64[3]=1,2,3", "i64[1,1]", "i64[1]=4", "i64[3]"),
		row("i64[3]", "i64[1,1]=0", "i64[1]=4", "i64[3]"),
		{Version: 15, Attributes: layertest.Attributes{"reduction", "sum"}, Inputs: []string{"i64[3]=1,2,3", "i64[1,1]=1", "i64[1]=7"}, Want: "i64[3]"},
	})
}
