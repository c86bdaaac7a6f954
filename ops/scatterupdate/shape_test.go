package scatterupdate

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShapes(t *testing.T) {
	row := func(data, indices, updates, axis, want, err string) layertest.ShapeCase {
		return layertest.ShapeCase{Version: 3, Inputs: []string{data, indices, updates, axis}, Want: want, Error: err}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		row("f32[3,4]", "i64[2]", "f32[2,4]", "i64[]=0", "f32[3,4]", ""),
		row("f32[3,4]", "i64[2,5]", "f32[3,2,5]", "i8[1]=-1", "f32[3,4]", ""),
		row("string[3,4]", "u64[]", "string[4]", "i64[]=0", "string[3,4]", ""),
		row("f32[3,0]", "u8[0]", "f32[0,0]", "u32[]=0", "f32[3,0]", ""),
		row("f32[2..4,4]", "i64[2]", "f32[2,4]", "i64[]=0", "f32[2..4,4]", ""),
		row("f32[3,4]", "i64[?]", "f32[2,?]", "i64[]=0", "f32[3,4]", ""),
		row("f32[3,4]", "i64[2]", "f32[3,3]", "i64[]", "f32[3,4]", ""),
		row("f32[...]", "i64[2]", "f32[2,4]", "i64[]=7", "f32[...]", ""),
		row("f32[3,4]", "i64[...]", "f32[9,9,9]", "i64[]=0", "f32[3,4]", ""),
		row("dynamic[3,4]", "dynamic[2]", "f32[2,4]", "dynamic[]", "dynamic[3,4]", ""),
		row("f32[3,4]", "i64[2]", "dynamic[2,4]", "i64[0..3]", "f32[3,4]", ""),

		row("f32[3,4]", "i64[2]", "f32[3,4]", "i64[]=0", "", "updates are [3,4]; data [3,4] and indices [2] along axis 0 need [2,4]"),
		row("f32[3,2..5]", "i64[2]", "f32[2,7]", "i64[]=0", "", "updates are [2,7]; data [3,2..5] and indices [2] along axis 0 need [2,2..5]"),
		row("f32[3,4]", "i64[2]", "f32[2]", "i64[]", "", "updates [2] have rank 1; data [3,4] and indices [2] need 2"),
		row("f32[]", "i64[1]", "f32[]", "i64[]=0", "", "axis 0 is outside [0,-1] for rank 0"),
		row("f32[3,4]", "i64[...]", "f32[2,4]", "i64[]=2", "", "axis 2 is outside [-2,1] for rank 2"),
		row("f32[3,4]", "i64[2]", "f32[...]", "i64[]=-3", "", "axis -3 is outside [-2,1] for rank 2"),
		row("f32[3,4]", "i64[2]", "f32[2,4]", "i64[2]=0,1", "", "axis has shape [2], not that of a scalar or of one element"),
		row("f32[3,4]", "i64[2]", "f32[2,4]", "i64[0]=", "", "axis has shape [0], not that of a scalar or of one element"),
		row("f32[3,4]", "i64[2]", "f32[2,4]", "i64[1,1]=0", "", "axis has shape [1,1], not that of a scalar or of one element"),
		row("f32[3,4]", "i64[2]", "f32[2,4]", "i64[2..3]", "", "axis has shape [2..3], not that of a scalar or of one element"),
		row("f32[3,4]", "f32[2]", "f32[2,4]", "i64[]", "", "indices are f32, not of an integer type"),
		row("f32[3,4]", "boolean[2]", "f32[2,4]", "i64[]", "", "indices are boolean, not of an integer type"),
		row("f32[3,4]", "i64[2]", "f16[2,4]", "i64[]", "", "updates are f16, data is f32"),
		row("f32[3,4]", "i64[2]", "f32[2,4]", "f32[]", "", "axis is f32, not of an integer type"),
	})
}

// TestBounds follows the values of subgraphs that compute shapes.
func TestBounds(t *testing.T) {
	row := func(data, indices, updates, want string) layertest.ShapeCase {
		return layertest.ShapeCase{Version: 3, Inputs: []string{data, indices, updates, "i64[]=0"}, Want: want}
	}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		row("i64[3]=1,?,3", "i64[1]=1", "i64[1]=7", "i64[3]=1,7,3"),
		row("i64[3]=1,2,3", "i64[2]=2,0", "i64[2]=4..5,?", "i64[3]=?,2,4..5"),
		row("i64[3]=1,2,3", "i64[2]=1,1", "i64[2]=4,5", "i64[3]=1,5,3"),
		row("i64[3]=1,2,3", "i64[1]=3", "i64[1]=4", "i64[3]"),
		row("i64[3]=1,2,3", "i64[1]=-1", "i64[1]=4", "i64[3]"),
		row("i64[3]=1,2,3", "i64[1]", "i64[1]=4", "i64[3]"),
		row("i64[3]=1,2,3", "i64[1]=0", "i64[1]", "i64[3]"),
		row("i64[3]", "i64[1]=0", "i64[1]=4", "i64[3]"),
	})
}
