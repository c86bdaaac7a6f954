package convolutionbackpropdata

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// TestStages runs layers with constant filters that apply stages. It compares them with the layer
// alone followed by the stages.
func TestStages(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 11))
	for _, c := range []struct {
		data, filters ir.Shape
		at            layertest.Attributes
	}{
		{ir.Shape{2, 5, 9, 20}, ir.Shape{5, 14, 2, 2}, layertest.Attributes{"strides", "2,2"}},
		{ir.Shape{1, 5, 9, 20}, ir.Shape{5, 14, 4, 4}, layertest.Attributes{"strides", "2,2", "pads_begin", "1,1", "pads_end", "1,1"}},
		{ir.Shape{1, 6, 7, 8}, ir.Shape{2, 3, 4, 3, 3}, layertest.Attributes{"strides", "3,1", "output_padding", "1,0"}},
		{ir.Shape{1, 3, 30}, ir.Shape{3, 2, 2}, layertest.Attributes{"strides", "3"}},
		{ir.Shape{1, 3, 5, 6, 7}, ir.Shape{3, 2, 3, 3, 3}, nil},
		{ir.Shape{1, 2, 3, 0}, ir.Shape{2, 3, 3, 3}, layertest.Attributes{"output_padding", "0,4", "strides", "1,1"}},
	} {
		op := &Ops[len(c.filters)-len(c.data)]
		x, w := wholeNumbers(t, rng, ir.F32, c.data), wholeNumbers(t, rng, ir.F32, c.filters)
		layertest.CheckStages(t, op, c.at, 2, x, w)
		plain, err := layertest.Run(op, c.at, 1, x, w)
		require.NoError(t, err)
		checkBias(t, op, c.at, x, w, plain)
	}
}

// checkBias runs a layer with constant filters that adds a bias and clamps.
func checkBias(t *testing.T, op *ops.Op, at layertest.Attributes, x, w, plain *ir.Tensor) {
	t.Helper()
	data := &ir.Layer{}
	for i := 0; i < len(at); i += 2 {
		data.Data = append(data.Data, ir.Attribute{Name: at[i], Value: at[i+1]})
	}
	parsed, err := parse(ir.AttributesOf(data))
	require.NoError(t, err)
	shape := plain.Shape()
	bias := ops.Stage{Bias: make([]float32, shape[1]), Inner: ir.Shape(shape[2:]).Elements()}
	for i := range bias.Bias {
		bias.Bias[i] = float32(3*i - 4)
	}
	want := append([]float32(nil), ir.Data[float32](plain)...)
	for i := range want {
		want[i] = min(max(want[i]+bias.Bias[i/bias.Inner%len(bias.Bias)], -2), 9)
	}
	fact := func(tensor *ir.Tensor) ir.Fact { return ir.Fact{Type: ir.F32, Shape: tensor.Shape().Partial()} }
	p := &ops.Preparation{
		Attributes: parsed, Inputs: []ir.Fact{fact(x), fact(w)}, Outputs: []ir.Fact{fact(plain)},
		Threads: 2, Stages: []ops.Stage{bias, {Clamp: true, Lo: -2, Hi: 9}},
	}
	p.Inputs[1].Tensor = w
	prepared, err := op.Prepare(p)
	require.NoError(t, err)
	out, err := ir.NewTensor(ir.F32, shape...)
	require.NoError(t, err)
	r := &ops.Run{
		Inputs: []*ir.Tensor{x, w}, Outputs: []*ir.Tensor{out},
		Scratch: ir.AlignedBytes(prepared.ScratchBytes), Pool: parallel.New(2),
	}
	defer r.Pool.Close()
	require.NoError(t, prepared.Kernel(r))
	require.Equal(t, want, ir.Data[float32](out), "%s %v of %v", op.Type, w.Shape(), x.Shape())
}
