package reduce

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestBounds(t *testing.T) {
	for _, c := range []struct{ op, data, axes, want string }{
		{"ReduceProd", "i64[3]=2,3..4,5", "i64[1]=0", "i64[1]=30..40"},
		{"ReduceProd", "i64[3]=2,1..,5", "i64[1]=0", "i64[1]=10.."},
		{"ReduceSum", "i64[2]=2,3..4", "i64[]=0", "i64[1]"},
		{"ReduceLogicalOr", "boolean[2]=0,0..1", "i64[]=0", "boolean[1]"},
		{"ReduceMax", "i64[2]=2..9,3..4", "i64[]=-1", "i64[1]=3..9"},
		{"ReduceMin", "i64[2]=2..9,3..4", "i64[]=-1", "i64[1]=2..4"},
		{"ReduceMean", "i64[2]=2..9,3..4", "i64[]=-1", "i64[1]"},
		{"ReduceProd", "i64[2]=2,3..4", "i64[0]=", "i64[2]=2,3..4"},
		{"ReduceProd", "i64[2,2]=2,3..4,5,6", "i64[1]=0", "i64[1,2]=10,18..24"},
		{"ReduceMax", "i64[2,2]=2,3..4,5,6", "i64[1]=1", "i64[2,1]=3..4,6"},
		{"ReduceMax", "i64[2]=-1,3..4", "i64[]=0", "i64[1]=3..4"},
		{"ReduceMin", "i64[2]=-1,3..4", "i64[]=0", "i64[1]=-1"},
		{"ReduceProd", "i64[2]=-1,3..4", "i64[]=0", "i64[1]"},
		{"ReduceMax", "i64[2]=2,3..4", "i64[1]", "i64[?]"},
		{"ReduceProd", "i32[2]=1000000,3..4000", "i64[]=0", "i32[1]=?"},
		{"ReduceProd", "i32[2]=1000000,3..", "i64[]=0", "i32[1]=3000000.."},
		{"ReduceMax", "f32[2]=2.5..9,3..", "i64[]=0", "f32[1]=3.."},
		{"ReduceMin", "f16[2]=2.5..9,3..4", "i64[]=0", "f16[1]=2.5..4"},
		{"ReduceMin", "f32[2]=-1..9,3..4", "i64[]=0", "f32[1]=-1..4"},
		{"ReduceProd", "f32[2]=2..3,3", "i64[]=0", "f32[1]"},
	} {
		got, err := layertest.Infer(t, opNamed(t, c.op), layertest.Attributes{"keep_dims", "true"}, c.data, c.axes)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%s of %s along %s", c.op, c.data, c.axes)
	}
}
