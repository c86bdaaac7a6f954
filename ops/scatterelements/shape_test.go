package scatterelements

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		name                         string
		data, indices, updates, axis string // type and shape
		value                        []int64
		reduction                    reduction
		want, err                    string
	}{
		{name: "static", data: "f32[3,4]", indices: "i64[2,4]", updates: "f32[2,4]", axis: "i32[]", value: []int64{0}, want: "f32[3,4]"},
		{name: "axis unknown", data: "f32[3,4]", indices: "i64[2,4]", updates: "f32[2,4]", axis: "i32[1]", want: "f32[3,4]"},
		{name: "longer off the axis", data: "f32[3,4]", indices: "i64[2,9]", updates: "f32[2,9]", axis: "i32[]", value: []int64{0}, want: "f32[3,4]"},
		{name: "intervals", data: "u8[1..3,?]", indices: "i8[..5,4]", updates: "u8[2..9,4]", axis: "u64[1]", value: []int64{1}, want: "u8[1..3,?]"},
		{name: "intervals apart", data: "u8[1..3,?]", indices: "i8[..5,4]", updates: "u8[6..9,4]", axis: "u64[1]", err: "indices are [..5,4], updates are [6..9,4]"},
		{name: "unknown rank of data", data: "f32[...]", indices: "i64[2,4]", updates: "f32[2,4]", axis: "i32[]", value: []int64{7}, want: "f32[...]"},
		{name: "unknown ranks", data: "f16[3]", indices: "i64[...]", updates: "f16[...]", axis: "i32[...]", want: "f16[3]"},
		{name: "type of updates", data: "dynamic[3]", indices: "i64[1]", updates: "string[1]", axis: "i32[?]", want: "string[3]"},
		{name: "types", data: "f32[3]", indices: "i64[1]", updates: "f16[1]", axis: "i32[]", err: "data is f32, updates are f16"},
		{name: "indices of floats", data: "f32[3]", indices: "f32[1]", updates: "f32[1]", axis: "i32[]", err: "indices are f32, not integers"},
		{name: "axis of floats", data: "f32[3]", indices: "i32[1]", updates: "f32[1]", axis: "f32[]", err: "axis is f32, not an integer"},
		{name: "axis of two axes", data: "f32[3]", indices: "i32[1]", updates: "f32[1]", axis: "i32[1,1]", err: "axis has shape [1,1], which is not a single value"},
		{name: "two axes", data: "f32[3,3]", indices: "i32[1,1]", updates: "f32[1,1]", axis: "i32[2]", value: []int64{0, 1}, err: "axis has 2 elements, not one"},
		{name: "no axis", data: "f32[3,3]", indices: "i32[1,1]", updates: "f32[1,1]", axis: "i32[0]", value: []int64{}, err: "axis has 0 elements, not one"},
		{name: "axis behind", data: "f32[3,4]", indices: "i32[1,1]", updates: "f32[1,1]", axis: "i32[]", value: []int64{2}, err: "axis 2 is outside [-2,1] for rank 2"},
		{name: "axis before", data: "f32[3,4]", indices: "i32[1,1]", updates: "f32[1,1]", axis: "i32[]", value: []int64{-3}, err: "axis -3 is outside [-2,1] for rank 2"},
		{name: "ranks", data: "f32[3,4]", indices: "i32[1]", updates: "f32[1]", axis: "i32[]", err: "indices [1] and data [3,4] differ in rank"},
		{name: "updates", data: "f32[3,4]", indices: "i32[1,4]", updates: "f32[1,3]", axis: "i32[]", err: "indices are [1,4], updates are [1,3]"},
		{name: "mean of booleans", data: "boolean[3]", indices: "i32[1]", updates: "boolean[1]", axis: "i32[]", reduction: mean, err: "reduction mean is not defined for boolean"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := inference(t, c.data, c.indices, c.updates, c.axis)
			in.Attributes = attributes{reduction: c.reduction, useInitVal: true}
			if c.value != nil {
				var err error
				shape, err := in.Inputs[axisInput].Shape.Static()
				require.NoError(t, err)
				in.Inputs[axisInput].Tensor, err = ir.TensorOfInts(in.Inputs[axisInput].Type, shape, c.value)
				require.NoError(t, err)
			}
			err := infer(in)
			if c.err != "" {
				assert.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, in.Outputs[0].Type.String()+in.Outputs[0].Shape.String())
		})
	}
}

// inference returns an inference with inputs such as "f32[1,?]".
func inference(t *testing.T, inputs ...string) *ops.Inference {
	in := &ops.Inference{Outputs: make([]ir.Fact, 1)}
	for _, s := range inputs {
		at := 0
		for s[at] != '[' {
			at++
		}
		element, err := ir.ParseElementType(s[:at])
		require.NoError(t, err)
		shape, err := ir.ParsePartialShape(s[at:])
		require.NoError(t, err)
		in.Inputs = append(in.Inputs, ir.Fact{Type: element, Shape: shape})
	}
	return in
}

// TestBounds has the results of OpenVINO, except for sums and means without an upper bound, for
// which OpenVINO fails.
func TestBounds(t *testing.T) {
	const inf = int64(1<<63 - 1)
	data := []ir.Interval{{Min: 2, Max: 2}, {Min: 3, Max: 6}, {Min: 0, Max: inf}}
	for _, c := range []struct {
		reduction reduction
		exclude   bool
		indices   []int64
		updates   []ir.Interval
		want      []ir.Interval
	}{
		{reduction: none, indices: []int64{1}, updates: []ir.Interval{{Min: 7, Max: 8}}, want: []ir.Interval{data[0], {Min: 7, Max: 8}, data[2]}},
		{reduction: none, indices: []int64{-1, -1}, updates: []ir.Interval{{Min: 7, Max: 7}, {Min: 1, Max: 1}}, want: []ir.Interval{data[0], data[1], {Min: 1, Max: 1}}},
		{reduction: sum, indices: []int64{1, 2}, updates: []ir.Interval{{Min: 7, Max: 7}, {Min: 7, Max: 7}}, want: []ir.Interval{data[0], {Min: 10, Max: 13}, {Min: 7, Max: inf}}},
		{reduction: prod, indices: []int64{1, 2}, updates: []ir.Interval{{Min: 7, Max: 7}, {Min: 7, Max: 7}}, want: []ir.Interval{data[0], {Min: 21, Max: 42}, {Min: 0, Max: inf}}},
		{reduction: prod, indices: []int64{1}, updates: []ir.Interval{{Min: -1, Max: 7}}},
		{reduction: minimum, indices: []int64{1, 2}, updates: []ir.Interval{{Min: 4, Max: 4}, {Min: 7, Max: 7}}, want: []ir.Interval{data[0], {Min: 3, Max: 4}, {Min: 0, Max: 7}}},
		{reduction: maximum, indices: []int64{1, 2}, updates: []ir.Interval{{Min: 7, Max: 7}, {Min: 7, Max: 7}}, want: []ir.Interval{data[0], {Min: 7, Max: 7}, {Min: 7, Max: inf}}},
		{reduction: mean, indices: []int64{1, 2}, updates: []ir.Interval{{Min: 7, Max: 7}, {Min: 8, Max: 8}}, want: []ir.Interval{data[0], {Min: 5, Max: 6}, {Min: 4, Max: inf}}},
		{reduction: mean, exclude: true, indices: []int64{0, 0}, updates: []ir.Interval{{Min: -7, Max: 7}, {Min: 0, Max: 8}}, want: []ir.Interval{{Min: -4, Max: 7}, data[1], data[2]}},
		{reduction: sum, exclude: true, indices: []int64{1}, updates: []ir.Interval{{Min: 7, Max: 7}}, want: []ir.Interval{data[0], {Min: 7, Max: 7}, data[2]}},
		{reduction: none, indices: []int64{3}, updates: []ir.Interval{{Min: 7, Max: 7}}},
	} {
		in := inference(t, "i64[3]", "i64[?]", "i64[?]", "i64[]")
		in.Attributes = attributes{c.reduction, !c.exclude}
		in.Inputs[dataInput].Values, in.Inputs[updatesInput].Values = data, c.updates
		for _, v := range c.indices {
			in.Inputs[indicesInput].Values = append(in.Inputs[indicesInput].Values, ir.Interval{Min: v, Max: v})
		}
		require.NoError(t, infer(in))
		bounds(in)
		assert.Equal(t, c.want, in.Outputs[0].Values, "%v %v", c.reduction, c.indices)

		in.Outputs[0].Values = nil
		in.Inputs[indicesInput].Values[0].Max++
		bounds(in)
		assert.Nil(t, in.Outputs[0].Values, "indices that are not known")
	}
}

// TestBounds_floats has elements whose sums round, so that only those that are replaced are
// followed.
func TestBounds_floats(t *testing.T) {
	data, updates := []ir.Interval{{Min: 2, Max: 2}, {Min: 3, Max: 6}}, []ir.Interval{{Min: 7, Max: 8}}
	for f, want := range map[reduction][]ir.Interval{none: {data[0], updates[0]}, sum: nil, maximum: nil, mean: nil} {
		in := inference(t, "f32[2]", "i64[?]", "f32[?]", "i64[]")
		in.Attributes = attributes{f, true}
		in.Inputs[dataInput].Values, in.Inputs[updatesInput].Values = data, updates
		in.Inputs[indicesInput].Values = []ir.Interval{{Min: 1, Max: 1}}
		require.NoError(t, infer(in))
		bounds(in)
		assert.Equal(t, want, in.Outputs[0].Values, "%v", f)
	}
}

func TestAttributes(t *testing.T) {
	read := func(data ...ir.Attribute) (any, error) {
		return parse(ir.AttributesOf(&ir.Layer{Data: data}))
	}
	at, err := read()
	require.NoError(t, err)
	assert.Equal(t, attributes{none, true}, at)
	at, err = read(ir.Attribute{Name: "reduction", Value: "mean"}, ir.Attribute{Name: "use_init_val", Value: "false"})
	require.NoError(t, err)
	assert.Equal(t, attributes{mean, false}, at)
	at, err = read(ir.Attribute{Name: "reduction", Value: "SUM"})
	require.NoError(t, err)
	assert.Equal(t, attributes{sum, true}, at)
	for _, name := range []string{"add", "mul", "sub", "median"} {
		_, err = read(ir.Attribute{Name: "reduction", Value: name})
		assert.EqualError(t, err, `attribute reduction: "`+name+`" is none of none, sum, prod, min, max, mean`)
	}
}
