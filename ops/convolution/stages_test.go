package convolution

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conv/pointwise"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// fused are layers that each use a different kernel.
var fused = []struct {
	algorithm     string
	data, filters ir.Shape
	at            layertest.Attributes
}{
	{"implicit GEMM", ir.Shape{1, 5, 20, 23}, ir.Shape{14, 5, 3, 3}, layertest.Attributes{"strides", "2,2", "auto_pad", "same_upper"}},
	{"implicit GEMM", ir.Shape{5, 9, 4, 5}, ir.Shape{30, 9, 1, 1}, nil},
	{"implicit GEMM", ir.Shape{2, 6, 9}, ir.Shape{2, 4, 3, 3}, nil},
	{"implicit GEMM", ir.Shape{1, 3, 5, 6, 40}, ir.Shape{4, 3, 2, 3, 3}, layertest.Attributes{"pads_begin", "1,1,1", "pads_end", "0,1,1"}},
	{"implicit GEMM of f16", ir.Shape{1, 5, 20, 23}, ir.Shape{14, 5, 3, 3}, layertest.Attributes{"strides", "2,2", "auto_pad", "same_upper"}},
	{"implicit GEMM of f16", ir.Shape{5, 9, 4, 5}, ir.Shape{30, 9, 1, 1}, nil},
	{"implicit GEMM of regions", ir.Shape{2, 32, 22, 18}, ir.Shape{20, 32, 3, 3}, layertest.Attributes{"dilations", "12,12", "auto_pad", "same_upper"}},
	{"implicit GEMM of regions", ir.Shape{1, 32, 80}, ir.Shape{5, 32, 4}, layertest.Attributes{"dilations", "32", "auto_pad", "same_upper"}},
	{"implicit GEMM of regions", ir.Shape{1, 64, 3, 8, 16}, ir.Shape{2, 3, 32, 2, 3, 3}, layertest.Attributes{"dilations", "2,4,8", "auto_pad", "same_upper"}},
	{"pointwise", ir.Shape{2, 9, 20, 31}, ir.Shape{14, 9, 1, 1}, nil},
	{"pointwise", ir.Shape{1, 13, 640}, ir.Shape{5, 13, 1}, nil},
	{"Winograd", ir.Shape{1, 64, 28, 30}, ir.Shape{64, 64, 3, 3}, layertest.Attributes{"auto_pad", "same_upper"}},
	{"Winograd", ir.Shape{3, 128, 14, 14}, ir.Shape{40, 128, 3, 3}, nil},
	{"Winograd", ir.Shape{2, 32, 5, 12, 13}, ir.Shape{32, 32, 3, 3, 3}, layertest.Attributes{"auto_pad", "same_upper", "strides", "2,1,1"}},
	{"Winograd", ir.Shape{1, 33, 4, 12, 13}, ir.Shape{64, 33, 1, 3, 3}, layertest.Attributes{"auto_pad", "same_upper"}},
	{"depthwise", ir.Shape{2, 6, 19, 33}, ir.Shape{6, 1, 1, 3, 3}, layertest.Attributes{"auto_pad", "same_upper"}},
	{"depthwise", ir.Shape{1, 3, 19, 33}, ir.Shape{3, 2, 1, 4, 3}, nil},
	{"matrix-vector", ir.Shape{3, 70, 1, 1}, ir.Shape{50, 70, 1, 1}, nil},
	{"matrix-vector", ir.Shape{1, 8, 3, 4}, ir.Shape{2, 5, 4, 3, 4}, nil},
	{"", ir.Shape{0, 3, 4, 4}, ir.Shape{5, 3, 1, 1}, nil},
	{"", ir.Shape{2, 0, 4, 4}, ir.Shape{5, 0, 3, 3}, nil},
}

// TestStages runs layers with a bias, a clamp and other stages, in every order that kernels
// distinguish. It compares them with the layer alone followed by the stages.
func TestStages(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	for _, c := range fused {
		op := &Ops[len(c.filters)-len(c.data)]
		x, w := wholeNumbers(t, rng, ir.F32, c.data), wholeNumbers(t, rng, ir.F32, c.filters)
		layertest.CheckStages(t, op, c.at, 2, x, w)
		plain, err := layertest.Run(op, c.at, 1, x, w)
		require.NoError(t, err)
		bias := stageOfBias(plain.Shape())
		clamp := ops.Stage{Clamp: true, Lo: -3, Hi: 20, Apply: func(_ *ops.Run, x []float32, _ int) {
			for i, v := range x {
				x[i] = min(max(v, -3), 20)
			}
		}}
		other := ops.Stage{Apply: func(r *ops.Run, x []float32, at int) {
			for i, v := range ir.Data[float32](r.Inputs[2])[at:][:len(x)] {
				x[i] += 2 * v
			}
		}}
		adds := ops.Stage{Adds: 2, Apply: func(r *ops.Run, x []float32, at int) {
			for i, v := range ir.Data[float32](r.Inputs[2])[at:][:len(x)] {
				x[i] += v
			}
		}}
		for _, stages := range [][]ops.Stage{{adds}, {bias, adds, clamp}, {bias, adds, other}, {clamp, adds}, {bias}, {clamp}, {bias, clamp}, {bias, other, clamp}, {bias, clamp, other}, {other, bias}, {clamp, bias}} {
			for _, threads := range []int{1, 3} {
				checkStages(t, op, c.algorithm, c.at, threads, stages, x, w, plain)
			}
		}
	}
}

// stageOfBias returns a stage that adds a number to each channel.
func stageOfBias(shape ir.Shape) ops.Stage {
	s := ops.Stage{Bias: make([]float32, shape[1]), Inner: ir.Shape(shape[2:]).Elements()}
	for i := range s.Bias {
		s.Bias[i] = float32(i%5 - 2)
	}
	s.Apply = func(_ *ops.Run, x []float32, at int) {
		for i := range x {
			x[i] += s.Bias[(at+i)/s.Inner%len(s.Bias)]
		}
	}
	return s
}

// checkStages runs a layer with constant filters that applies stages. Its last input is an operand
// of the stages, with the shape of the output.
func checkStages(t *testing.T, op *ops.Op, algorithm string, at layertest.Attributes, threads int, stages []ops.Stage, x, w, plain *ir.Tensor) {
	t.Helper()
	parsed, err := parse(ir.AttributesOf(&ir.Layer{Data: at.Data()}))
	require.NoError(t, err)
	fact := func(tensor *ir.Tensor) ir.Fact { return ir.Fact{Type: ir.F32, Shape: tensor.Shape().Partial()} }
	p := &ops.Preparation{
		Attributes: parsed, Inputs: []ir.Fact{fact(x), fact(w)}, Outputs: []ir.Fact{fact(plain)},
		Threads: threads, Stages: stages,
	}
	if s := x.Shape(); algorithm == "pointwise" && pointwise.New(pointwise.Shape{Batch: s[0], In: s[1], Out: w.Shape()[0], Plane: s[2:].Elements()}, threads) == nil {
		algorithm = "implicit GEMM" // without assembly
	}
	if strings.HasSuffix(algorithm, "f16") {
		p.Rounded = ir.F16
	}
	p.Inputs[1].Tensor = w
	prepared, err := op.Prepare(p)
	require.NoError(t, err)
	assert.Equal(t, algorithm, prepared.Algorithm)
	out, err := ir.NewTensor(ir.F32, plain.Shape()...)
	require.NoError(t, err)
	for i := range ir.Data[float32](out) {
		ir.Data[float32](out)[i] = float32(math.NaN())
	}
	r := &ops.Run{
		Inputs: []*ir.Tensor{x, w, plain}, Outputs: []*ir.Tensor{out},
		Scratch: ir.AlignedBytes(prepared.ScratchBytes), Pool: parallel.New(threads),
	}
	defer r.Pool.Close()
	want := append([]float32(nil), ir.Data[float32](plain)...)
	ops.Compose(stages)(r, want, 0)
	require.NoError(t, prepared.Kernel(r))
	for i, got := range ir.Data[float32](out) {
		if math.Abs(float64(got-want[i])) > 1e-3*(1+math.Abs(float64(want[i]))) || got != got {
			t.Fatalf("%s %v of %v: element %d is %v, want %v", algorithm, w.Shape(), x.Shape(), i, got, want[i])
		}
	}
	allocations := testing.AllocsPerRun(3, func() { _ = prepared.Kernel(r) })
	assert.LessOrEqual(t, allocations, 1.0, "%s", algorithm) // for a new Run
}

// TestPadding checks that padding is not multiplied: an infinite or NaN filter element counts only
// where the window has it inside the data.
func TestPadding(t *testing.T) {
	for _, c := range fused {
		for _, v := range []float64{math.Inf(1), math.NaN()} {
			rng := rand.New(rand.NewPCG(4, 5))
			x, w := wholeNumbers(t, rng, ir.F32, c.data), wholeNumbers(t, rng, ir.F32, c.filters)
			if w.Len() == 0 || x.Len() == 0 {
				continue
			}
			op := &Ops[len(c.filters)-len(c.data)]
			ones := ir.Data[float32](x)
			for i := range ones {
				ones[i] = 1
			}
			ir.Data[float32](w)[0] = float32(v)
			got, err := layertest.Run(op, c.at, 1, x, w)
			require.NoError(t, err)
			// The kernel for f64 adds rows of the data.
			x64, w64 := asFloat64(t, x), asFloat64(t, w)
			want, err := layertest.Run(op, c.at, 1, x64, w64)
			require.NoError(t, err)
			for i, v := range ir.Data[float64](want) {
				g := float64(ir.Data[float32](got)[i])
				require.True(t, v == g || v != v && g != g, "%s: element %d is %v, want %v", c.algorithm, i, g, v)
			}
			if p := prepareConstant(t, op, c.at, x, w, got); p.Algorithm != "matrix-vector" {
				r := &ops.Run{Inputs: []*ir.Tensor{x, w}, Outputs: []*ir.Tensor{got}, Scratch: ir.AlignedBytes(p.ScratchBytes)}
				clear(ir.Data[float32](got))
				require.NoError(t, p.Kernel(r))
				for i, v := range ir.Data[float64](want) {
					g := float64(ir.Data[float32](got)[i])
					require.True(t, v == g || v != v && g != g, "%s, constant filters: element %d is %v, want %v", c.algorithm, i, g, v)
				}
			}
		}
	}
}

// prepareConstant prepares a layer with constant filters.
func prepareConstant(t *testing.T, op *ops.Op, at layertest.Attributes, x, w, out *ir.Tensor) *ops.Prepared {
	t.Helper()
	parsed, err := parse(ir.AttributesOf(&ir.Layer{Data: at.Data()}))
	require.NoError(t, err)
	p := &ops.Preparation{Attributes: parsed, Threads: 1}
	for _, tensor := range []*ir.Tensor{x, w} {
		p.Inputs = append(p.Inputs, ir.Fact{Type: ir.F32, Shape: tensor.Shape().Partial()})
	}
	p.Outputs = []ir.Fact{{Type: ir.F32, Shape: out.Shape().Partial()}}
	p.Inputs[1].Tensor = w
	prepared, err := op.Prepare(p)
	require.NoError(t, err)
	return prepared
}

// asFloat64 converts a tensor of f32.
func asFloat64(t *testing.T, x *ir.Tensor) *ir.Tensor {
	t.Helper()
	values := make([]float64, x.Len())
	for i, v := range ir.Data[float32](x) {
		values[i] = float64(v)
	}
	tensor, err := ir.TensorOf(ir.F64, x.Shape(), values)
	require.NoError(t, err)
	return tensor
}
