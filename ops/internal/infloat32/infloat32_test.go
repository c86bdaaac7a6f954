package infloat32

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// tensor returns a tensor of an integer type.
func tensor(t testing.TB, elementType ir.ElementType, values ...int64) *ir.Tensor {
	t.Helper()
	x, err := ir.NewTensor(elementType, len(values))
	require.NoError(t, err)
	for i, v := range values {
		for k := range elementType.Size() {
			x.Bytes()[i*elementType.Size()+k] = byte(v >> (8 * k))
		}
	}
	return x
}

// scaled prepares a layer that computes a[i]*factor + b[i%len(b)] in float32.
func scaled(factor float32) Prepare {
	return func(p *ops.Preparation) (*ops.Prepared, error) {
		return &ops.Prepared{ScratchBytes: 8, Kernel: func(r *ops.Run) error {
			r.Scratch[7] = 1
			a, b := ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Inputs[1])
			for i := range a {
				ir.Data[float32](r.Outputs[0])[i] = a[i]*factor + b[i%len(b)]
			}
			return nil
		}}, nil
	}
}

func run(t testing.TB, prepare Prepare, stop parallel.Stop, out *ir.Tensor, inputs ...*ir.Tensor) error {
	t.Helper()
	p := &ops.Preparation{Outputs: []ir.Fact{{Type: out.ElementType(), Shape: out.Shape().Partial()}}}
	for _, x := range inputs {
		p.Inputs = append(p.Inputs, ir.Fact{Type: x.ElementType(), Shape: x.Shape().Partial(), Tensor: x})
	}
	prepared, err := prepare(p)
	if err != nil {
		return err
	}
	r := &ops.Run{Inputs: inputs, Outputs: []*ir.Tensor{out}, Scratch: ir.AlignedBytes(prepared.ScratchBytes), Stop: stop}
	for range 2 {
		if err := prepared.Kernel(r); err != nil {
			return err
		}
	}
	assert.Zero(t, testing.AllocsPerRun(10, func() { _ = prepared.Kernel(r) }))
	return nil
}

func TestRounded(t *testing.T) {
	const least, most = math.MinInt64, math.MaxInt64
	for _, c := range []struct {
		elementType  ir.ElementType
		factor       float32
		values, want []int64
	}{
		{ir.I8, 0.5, []int64{1, 3, 5, -1, -3, 127, -128}, []int64{0, 2, 2, 0, -2, 64, -64}},
		{ir.I8, 2, []int64{64, -64, -65, 63}, []int64{127, -128, -128, 126}},
		{ir.U8, 2, []int64{127, 128, 200}, []int64{254, 255, 255}},
		{ir.U8, -1, []int64{1, 0}, []int64{0, 0}},
		{ir.I16, 2, []int64{20000, -20000, 3}, []int64{32767, -32768, 6}},
		{ir.U16, 2, []int64{40000, 3}, []int64{65535, 6}},
		{ir.I32, 2, []int64{1 << 30, -1 << 31, 5}, []int64{1<<31 - 128, -1 << 31, 10}},
		{ir.U32, 2, []int64{1 << 31, 5}, []int64{1<<32 - 256, 10}},
		{ir.I64, 2, []int64{1 << 62, least, 5}, []int64{most - (1<<39 - 1), least, 10}},
		{ir.U64, 1, []int64{least, 5}, []int64{least, 5}}, // 1 << 63
		{ir.U64, 2, []int64{least, 5}, []int64{-1 << 40, 10}},
		{ir.I32, float32(math.NaN()), []int64{1}, []int64{0}},
	} {
		in := tensor(t, c.elementType, c.values...)
		out := tensor(t, c.elementType, make([]int64, len(c.values))...)
		require.NoError(t, run(t, Rounded(2, scaled(c.factor)), nil, out, in, tensor(t, c.elementType, 0)))
		assert.Equal(t, tensor(t, c.elementType, c.want...).Bytes(), out.Bytes(), "%v * %v", c.elementType, c.factor)
	}
}

// TestRounded_float leaves floats to the layer, which gets its own Preparation.
func TestRounded_float(t *testing.T) {
	x, err := ir.NewTensor(ir.F32, 1)
	require.NoError(t, err)
	ir.Data[float32](x)[0] = 3
	require.NoError(t, run(t, Rounded(2, scaled(0.5)), nil, x, x, x))
	assert.NotZero(t, math.Mod(float64(ir.Data[float32](x)[0]), 1), "not rounded")
}

func TestRounded_refuses(t *testing.T) {
	err := run(t, Rounded(2, scaled(1)), nil, tensor(t, ir.I32, 0), tensor(t, ir.I32, 0), tensor(t, ir.I64, 0))
	assert.EqualError(t, err, "input 1 is i64, the output i32")
	stop := make(chan struct{})
	close(stop)
	err = run(t, Rounded(2, scaled(1)), stop, tensor(t, ir.I32, 0), tensor(t, ir.I32, 0), tensor(t, ir.I32, 0))
	assert.ErrorIs(t, err, parallel.ErrStopped)
}
