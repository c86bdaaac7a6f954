package rangeop

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func intFact(t *testing.T, v int64) ir.Fact {
	t.Helper()
	tensor, err := ir.TensorOfInts(ir.I64, ir.Shape{}, []int64{v})
	require.NoError(t, err)
	return ir.Fact{Type: ir.I64, Tensor: tensor}
}

func floatFact(t *testing.T, v float64) ir.Fact {
	t.Helper()
	tensor, err := ir.TensorOf(ir.F64, ir.Shape{}, []float64{v})
	require.NoError(t, err)
	return ir.Fact{Type: ir.F64, Tensor: tensor}
}

func inferFacts(at any, facts ...ir.Fact) (*ir.Inference, error) {
	in := &ir.Inference{Attributes: at, Inputs: facts, Outputs: make([]ir.Fact, 1)}
	return in, infer(in)
}

func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		start, stop, step int64
		want              []int64
	}{
		{2, 9, 3, []int64{2, 5, 8}},
		{2, 8, 3, []int64{2, 5}},
		{9, 2, -3, []int64{9, 6, 3}},
		{2, 9, -1, []int64{}},
		{9, 2, 1, []int64{}},
		{4, 4, -1, []int64{}},
		{4, 4, 1, []int64{}},
		{math.MinInt64, math.MaxInt64, math.MaxInt64, []int64{math.MinInt64, -1, math.MaxInt64 - 1}},
		{math.MaxInt64, math.MinInt64, math.MinInt64, []int64{math.MaxInt64, -1}},
	} {
		in, err := inferFacts(nil, intFact(t, c.start), intFact(t, c.stop), intFact(t, c.step))
		require.NoError(t, err)
		require.Equal(t, ir.ShapeOf(ir.Dim(int64(len(c.want)))), in.Outputs[0].Shape, "%+v", c)
		got, err := runRange(t, in).Ints()
		require.NoError(t, err)
		assert.Equal(t, c.want, append([]int64{}, got...), "%+v", c)
	}
}

func runRange(t *testing.T, in *ir.Inference) *ir.Tensor {
	t.Helper()
	kernel, err := prepare(&ops.Preparation{Attributes: in.Attributes, Inputs: in.Inputs, Outputs: in.Outputs})
	require.NoError(t, err)
	shape, err := in.Outputs[0].Shape.Static()
	require.NoError(t, err)
	out, err := ir.NewTensor(in.Outputs[0].Type, shape...)
	require.NoError(t, err)
	require.NoError(t, kernel(&ops.Run{Outputs: []*ir.Tensor{out}}))
	return out
}

func TestFloats(t *testing.T) {
	in, err := inferFacts(nil, floatFact(t, 1), floatFact(t, 2), floatFact(t, 0.25))
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 1.25, 1.5, 1.75}, ir.Data[float64](runRange(t, in)))

	// Range-4 converts to the output's type before it counts.
	in, err = inferFacts(attributes{ir.I32}, floatFact(t, 1.9), floatFact(t, 5.9), floatFact(t, 2.9))
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 3}, ir.Data[int32](runRange(t, in)))

	in, err = inferFacts(attributes{ir.F16}, intFact(t, 0), intFact(t, 3), intFact(t, 1))
	require.NoError(t, err)
	assert.Equal(t, []uint16{0, 0x3c00, 0x4000}, ir.Data[uint16](runRange(t, in)))
}

func TestInferUnknown(t *testing.T) {
	unknown := ir.Fact{Type: ir.I64, Shape: ir.UnknownRank}
	in, err := inferFacts(nil, unknown, intFact(t, 1), intFact(t, 1))
	require.NoError(t, err)
	assert.Equal(t, "[?]", in.Outputs[0].Shape.String())
}

func TestInferRefuses(t *testing.T) {
	one := intFact(t, 1)
	for _, c := range []struct {
		at    any
		facts []ir.Fact
		want  string
	}{
		{nil, []ir.Fact{one, one, intFact(t, 0)}, "step is 0"},
		{attributes{ir.I32}, []ir.Fact{one, one, floatFact(t, 0.5)}, "step is 0"},
		{nil, []ir.Fact{floatFact(t, math.NaN()), floatFact(t, 1), floatFact(t, 1)}, "start is NaN"},
		{nil, []ir.Fact{floatFact(t, 0), floatFact(t, 1e300), floatFact(t, 1)}, "more elements than an int64 counts"},
		{nil, []ir.Fact{one, floatFact(t, 1), one}, "stop is f64, the inputs before it are i64"},
		{nil, []ir.Fact{one, {Type: ir.I64, Shape: ir.StaticShape(2)}, one}, "stop has shape [2]"},
		{nil, []ir.Fact{{Type: ir.Boolean}, one, one}, "start is boolean"},
	} {
		_, err := inferFacts(c.at, c.facts...)
		assert.ErrorContains(t, err, c.want)
	}
}
