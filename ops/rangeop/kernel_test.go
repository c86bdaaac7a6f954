package rangeop

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

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

func runRange(t *testing.T, in *ops.Inference) *ir.Tensor {
	t.Helper()
	prepared, err := prepare(&ops.Preparation{Attributes: in.Attributes, Inputs: in.Inputs, Outputs: in.Outputs})
	require.NoError(t, err)
	shape, err := in.Outputs[0].Shape.Static()
	require.NoError(t, err)
	out, err := ir.NewTensor(in.Outputs[0].Type, shape...)
	require.NoError(t, err)
	require.NoError(t, prepared.Kernel(&ops.Run{Outputs: []*ir.Tensor{out}}))
	return out
}

func TestFloats(t *testing.T) {
	in, err := inferFacts(nil, floatFact(t, 1), floatFact(t, 2), floatFact(t, 0.25))
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 1.25, 1.5, 1.75}, ir.Data[float64](runRange(t, in)))

	// Range-4 converts the inputs to the type of the output before it counts the elements.
	in, err = inferFacts(attributes{ir.I32}, floatFact(t, 1.9), floatFact(t, 5.9), floatFact(t, 2.9))
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 3}, ir.Data[int32](runRange(t, in)))

	in, err = inferFacts(attributes{ir.F16}, intFact(t, 0), intFact(t, 3), intFact(t, 1))
	require.NoError(t, err)
	assert.Equal(t, []uint16{0, 0x3c00, 0x4000}, ir.Data[uint16](runRange(t, in)))
}

func TestTypes(t *testing.T) {
	for _, elementType := range types {
		op := layertest.Find(t, Ops, 1)
		scalar := func(v float64) *ir.Tensor { return layertest.Numbers(t, elementType, ir.Shape{}, v) }
		out, err := layertest.Run(op, nil, 1, scalar(3), scalar(12), scalar(4))
		require.NoError(t, err)
		assert.Equal(t, elementType, out.ElementType())
		assert.Equal(t, []float64{3, 7, 11}, layertest.Floats(t, out), "%v", elementType)
	}
}

func TestRefit(t *testing.T) {
	op := &Ops[len(Ops)-1]
	preparation := func(start, stop, step float64) *ops.Preparation {
		p := &ops.Preparation{Attributes: attributes{ir.I64}, Outputs: []ir.Fact{{Type: ir.I64, Shape: ir.ShapeOfRank(1)}}}
		for _, v := range []float64{start, stop, step} {
			p.Inputs = append(p.Inputs, ir.Fact{Type: ir.I64, Tensor: layertest.Numbers(t, ir.I64, ir.Shape{}, v)})
		}
		return p
	}
	prepared, err := op.Prepare(preparation(0, 5, 1))
	require.NoError(t, err)
	fits, err := prepared.Refit(preparation(2, 11, 3))
	require.NoError(t, err)
	require.True(t, fits)
	out, err := ir.NewTensor(ir.I64, 3)
	require.NoError(t, err)
	require.NoError(t, prepared.Kernel(&ops.Run{Outputs: []*ir.Tensor{out}}))
	require.Equal(t, []int64{2, 5, 8}, ir.Data[int64](out))
	_, err = prepared.Refit(preparation(0, 5, 0))
	require.EqualError(t, err, "step is 0")
}
