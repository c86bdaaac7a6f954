package gathernd

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	batch := func(n string) layertest.Attributes { return layertest.Attributes{"batch_dims", n} }
	// flat holds the shape for GatherND-5 if it differs.
	type row struct {
		attributes    layertest.Attributes
		data, indices string
		want, flat    string
		err           string
	}
	var cases []layertest.ShapeCase
	for _, r := range []row{
		{nil, "f32[3,4]", "i64[2,1]", "f32[2,4]", "", ""},
		{nil, "f32[3,4]", "i64[2,2]", "f32[2]", "", ""},
		{nil, "f32[2,3]", "u8[2]", "f32[]", "", ""},
		{nil, "string[2,3]", "i32[2,0]", "string[2,2,3]", "", ""},
		{nil, "f32[2,0]", "i32[0,1]", "f32[0,0]", "", ""},
		{batch("1"), "f32[2,3]", "i64[2,1]", "f32[2]", "", ""},
		{batch("2"), "f32[2,3,4]", "i64[2,3,1]", "f32[2,3]", "f32[6]", ""},
		{batch("2"), "f32[2,3,4,5]", "i64[2,3,7,1]", "f32[2,3,7,5]", "f32[6,7,5]", ""},
		{batch("2"), "f32[2..5,3,4]", "i64[3..9,?,1]", "f32[3..5,3]", "f32[9..15]", ""},
		{batch("2"), "f32[?,3,4]", "i64[?,?,1]", "f32[?,3]", "f32[?]", ""},
		{nil, "f32[...]", "i64[2,1]", "f32[...]", "", ""},
		{nil, "f32[2,3]", "i64[...]", "f32[...]", "", ""},
		{nil, "f32[2,3]", "i64[2,?]", "f32[...]", "", ""},
		{nil, "f32[2,3]", "i64[2,1..2]", "f32[...]", "", ""},
		{batch("3"), "f32[...]", "i64[...]", "f32[...]", "", ""},
		{nil, "dynamic[2,3]", "dynamic[2,1]", "dynamic[2,3]", "", ""},

		{nil, "f32[3,4]", "i64[2,3]", "", "", "indices [2,3] hold tuples of 3, data [3,4] has 2 axes behind the batch"},
		{batch("2"), "f32[2,3,4]", "i64[2,3,2]", "", "", "indices [2,3,2] hold tuples of 2, data [2,3,4] has 1 axes behind the batch"},
		{batch("2"), "f32[2,3,4]", "i64[2,2,1]", "", "", "data [2,3,4] and indices [2,2,1] differ in batch axis 1"},
		{batch("2"), "f32[2,3]", "i64[...]", "", "", "batch_dims 2 is not below the rank of data [2,3]"},
		{batch("2"), "f32[...]", "i64[2,3]", "", "", "batch_dims 2 is not below the rank of indices [2,3]"},
		{batch("-1"), "f32[2,3]", "i64[2,1]", "", "", "batch_dims is -1, 0 or more is needed"},
		{nil, "f32[]", "i64[2,1]", "", "", "batch_dims 0 is not below the rank of data []"},
		{nil, "f32[2]", "i64[]", "", "", "batch_dims 0 is not below the rank of indices []"},
		{nil, "f32[2]", "boolean[2,1]", "", "", "indices are boolean, not of an integer type"},
		{nil, "f32[2]", "f32[2,1]", "", "", "indices are f32, not of an integer type"},
	} {
		c := layertest.ShapeCase{Version: 8, Attributes: r.attributes, Inputs: []string{r.data, r.indices}, Want: r.want, Error: r.err}
		cases = append(cases, c)
		if c.Version = 5; r.flat != "" {
			c.Want = r.flat
		}
		cases = append(cases, c)
	}
	layertest.Shapes(t, Ops, cases)
}

// TestBounds follows the values of subgraphs that compute shapes.
