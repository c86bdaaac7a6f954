package shapeof

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestShapes(t *testing.T) {
	i32 := layertest.Attributes{"output_type", "i32"}
	layertest.Shapes(t, Ops, []layertest.ShapeCase{
		{Version: 1, Inputs: []string{"f32[2,0,3]"}, Want: "i64[3]=2,0,3"},
		{Version: 3, Inputs: []string{"string[7]"}, Want: "i64[1]=7"},
		{Version: 3, Attributes: i32, Inputs: []string{"u4[2,3]"}, Want: "i32[2]=2,3"},
		{Version: 3, Inputs: []string{"f32[]"}, Want: "i64[0]="},
		{Version: 1, Attributes: i32, Inputs: []string{"f32[5]"}, Want: "i64[1]=5"},
		{Version: 3, Attributes: layertest.Attributes{"output_type", "u8"}, Inputs: []string{"f32[5]"}, Error: "attribute output_type: u8 is neither i64 nor i32"},

		{Version: 3, Inputs: []string{"f32[2,?,3..5,4..]"}, Want: "i64[4]=2,0..,3..5,4.."},
		{Version: 3, Attributes: i32, Inputs: []string{"f32[2,?,3..5000000000]"}, Want: "i32[3]=2,0..,3.."},
		{Version: 3, Attributes: i32, Inputs: []string{"f32[5000000000]"}, Want: "i32[1]=0.."},
		{Version: 3, Inputs: []string{"f32[...]"}, Want: "i64[?]"},
	})
}

func TestKernel(t *testing.T) {
	for version, attributes := range map[int]layertest.Attributes{1: nil, 3: {"output_type", "i32"}} {
		op := layertest.Find(t, Ops, version)
		for _, shape := range []ir.Shape{{}, {0}, {2, 3, 1}} {
			got, err := layertest.Run(op, attributes, 1, layertest.Counted(t, ir.F16, shape...))
			require.NoError(t, err)
			ints, err := got.Ints()
			require.NoError(t, err)
			require.Len(t, ints, len(shape))
			for i, n := range shape {
				assert.EqualValues(t, n, ints[i])
			}
		}
	}
}

// TestBeyondI32 has a tensor without elements, so that its lengths need no memory.
func TestBeyondI32(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("lengths of this platform fit an i32")
	}
	long := math.MaxInt32
	long++
	data, err := ir.NewTensor(ir.U8, long, 0)
	require.NoError(t, err)
	out, err := ir.NewTensor(ir.I32, 2)
	require.NoError(t, err)
	prepared, err := Ops[1].Prepare(&ops.Preparation{})
	require.NoError(t, err)
	err = prepared.Kernel(&ops.Run{Inputs: []*ir.Tensor{data}, Outputs: []*ir.Tensor{out}})
	assert.EqualError(t, err, "dimension 0 is 2147483648, beyond i32")
}
