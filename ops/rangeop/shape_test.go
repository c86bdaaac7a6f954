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

func inferFacts(at any, facts ...ir.Fact) (*ops.Inference, error) {
	in := &ops.Inference{Attributes: at, Inputs: facts, Outputs: make([]ir.Fact, 1)}
	return in, infer(in)
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
		{attributes{ir.I32}, []ir.Fact{floatFact(t, 0x1p63), one, one}, "start is 9.223372036854776e+18, beyond an int64"},
		{attributes{ir.I64}, []ir.Fact{one, floatFact(t, -1e300), one}, "stop is -1e+300, beyond an int64"},
		{nil, []ir.Fact{one, floatFact(t, 1), one}, "stop is f64, the inputs before it are i64"},
		{nil, []ir.Fact{one, {Type: ir.I64, Shape: ir.StaticShape(2)}, one}, "stop has shape [2]"},
		{nil, []ir.Fact{{Type: ir.Boolean}, one, one}, "start is boolean"},
	} {
		_, err := inferFacts(c.at, c.facts...)
		assert.ErrorContains(t, err, c.want)
	}
}
