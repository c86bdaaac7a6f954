package gatherelements

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		data, indices string
		axis          int64
		want, err     string
	}{
		{data: "[2,3]", indices: "[2,7]", axis: 1, want: "[2,7]"},
		{data: "[2,3]", indices: "[2,7]", axis: -1, want: "[2,7]"},
		{data: "[5]", indices: "[0]", want: "[0]"},
		{data: "[0]", indices: "[4]", want: "[4]"},
		{data: "[4,4,?]", indices: "[1,?,5]", want: "[1,4,5]"},
		{data: "[?,?,?]", indices: "[2,6,4]", axis: 1, want: "[2,6,4]"},
		{data: "[1..3,1,2..3,1..4,4]", indices: "[2,..1,..1,2,4]", axis: 2, want: "[2,1,..1,2,4]"},
		{data: "[..2,1,2..6,2..4,4]", indices: "[..3,1..3,1..5,2..3,4]", want: "[..3,1,2..5,2..3,4]"},
		{data: "[6..9,1..5]", indices: "[5..10,4..7]", axis: 1, want: "[6..9,4..7]"},
		{data: "[2,3,4,5]", indices: "[...]", want: "[?,3,4,5]"},
		{data: "[...]", indices: "[2,6,4]", axis: 2, want: "[2,6,4]"},
		{data: "[...]", indices: "[...]", want: "[...]"},
		{data: "[...]", indices: "[2]", axis: 7, want: "[2]"},

		{data: "[]", indices: "[1]", err: "data is a scalar, expected rank 1 or more"},
		{data: "[...]", indices: "[]", err: "indices are a scalar, expected rank 1 or more"},
		{data: "[2,3]", indices: "[...]", axis: 2, err: "axis 2 is outside [-2,1] for rank 2"},
		{data: "[2,3]", indices: "[2,3]", axis: -3, err: "axis -3 is outside [-2,1] for rank 2"},
		{data: "[2,3]", indices: "[2]", err: "indices [2] and data [2,3] differ in rank"},
		{data: "[2,3]", indices: "[2,2]", err: "indices [2,2] and data [2,3] differ off axis 0"},
		{data: "[2,3]", indices: "[3,3]", axis: -1, err: "indices [3,3] and data [2,3] differ off axis 1"},
		{data: "[2..3,3]", indices: "[4..,1]", axis: 1, err: "indices [4..,1] and data [2..3,3] differ off axis 1"},
	} {
		data, err := ir.ParsePartialShape(c.data)
		require.NoError(t, err)
		indices, err := ir.ParsePartialShape(c.indices)
		require.NoError(t, err)
		in := ops.Inference{
			Attributes: attributes{axis: c.axis},
			Inputs:     []ir.Fact{{Type: ir.F16, Shape: data}, {Type: ir.I64, Shape: indices}},
			Outputs:    make([]ir.Fact, 1),
		}
		if err := infer(&in); c.err != "" {
			assert.EqualError(t, err, c.err)
			continue
		} else if !assert.NoError(t, err) {
			continue
		}
		assert.Equal(t, c.want, in.Outputs[0].Shape.String(), "%v", c)
		assert.Equal(t, ir.F16, in.Outputs[0].Type)
	}
}

func TestInferIndexType(t *testing.T) {
	for _, it := range []ir.ElementType{ir.I8, ir.U32, ir.U64, ir.F32, ir.Boolean, ir.Dynamic} {
		in := ops.Inference{
			Attributes: attributes{},
			Inputs:     []ir.Fact{{Type: ir.F32, Shape: ir.StaticShape(2)}, {Type: it, Shape: ir.StaticShape(2)}},
			Outputs:    make([]ir.Fact, 1),
		}
		assert.EqualError(t, infer(&in), "indices are "+it.String()+", expected i32 or i64")
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "-2": -2} {
		at, err := parse(ir.AttributesOf(&ir.Layer{Data: []ir.Attribute{{Name: "axis", Value: text}}}))
		require.NoError(t, err)
		assert.Equal(t, attributes{axis: want}, at)
	}
	_, err := parse(ir.AttributesOf(&ir.Layer{Data: []ir.Attribute{{Name: "axis", Value: "x"}}}))
	assert.ErrorContains(t, err, "attribute axis")
}
