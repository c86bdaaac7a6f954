package convolution

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// reference computes the definition, coordinate by coordinate.
func reference(g *geometry, data, filters []float64) []float64 {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	var out []float64
	channels := g.groups * g.outChannels
	for i := range g.batch * channels * g.axes.Output() {
		ox, oy, oz := i%x.Output, i/x.Output%y.Output, i/x.Output/y.Output%z.Output
		o, n := i/g.axes.Output()%channels, i/g.axes.Output()/channels
		first := n*g.groups*g.inChannels + o/g.outChannels*g.inChannels
		total := 0.0
		for k := range g.inChannels * z.Kernel * y.Kernel * x.Kernel {
			kx, ky, kz, c := k%x.Kernel, k/x.Kernel%y.Kernel, k/x.Kernel/y.Kernel%z.Kernel, k/x.Kernel/y.Kernel/z.Kernel
			ix, iy, iz := ox*x.Stride+kx*x.Dilation-x.PadBegin, oy*y.Stride+ky*y.Dilation-y.PadBegin, oz*z.Stride+kz*z.Dilation-z.PadBegin
			if ix < 0 || iy < 0 || iz < 0 || ix >= x.Input || iy >= y.Input || iz >= z.Input {
				continue
			}
			filter := filters[o*g.inChannels*z.Kernel*y.Kernel*x.Kernel+k]
			total += filter * data[(((first+c)*z.Input+iz)*y.Input+iy)*x.Input+ix]
		}
		out = append(out, total)
	}
	return out
}

func TestKernelAgainstReference(t *testing.T) {
	accepted := 0
	for seed := range uint64(200) {
		accepted += checkRandom(t, seed)
	}
	assert.Greater(t, accepted, 600)
}

func FuzzKernel(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRandom(t, seed) })
}

// checkRandom compares random layers with the reference, and returns how many of them the shape
// rule accepts.
func checkRandom(t *testing.T, seed uint64) int {
	rng := rand.New(rand.NewPCG(seed, 4))
	spatial, channels := 1+rng.IntN(3), rng.IntN(10)
	data := append(ir.Shape{rng.IntN(3), channels}, layertest.RandomInts(rng, 0, 6, spatial)...)
	filters := append(ir.Shape{rng.IntN(4), channels}, layertest.RandomInts(rng, 1, 4, spatial)...)
	at := layertest.Attributes{
		"strides", list(rng, 1, 3, spatial), "dilations", list(rng, 1, 2, spatial),
		"pads_begin", list(rng, -1, 2, spatial), "pads_end", list(rng, 0, 3, spatial),
		"auto_pad", []string{"explicit", "same_upper", "same_lower", "valid"}[rng.IntN(4)],
	}
	op := &Ops[rng.IntN(2)]
	if op.Type == "GroupConvolution" {
		channels = min(channels, 3) + 1
		if rng.IntN(2) == 0 {
			channels = 1
		}
		groups := 1 + rng.IntN(3)
		data[1], filters[1] = groups*channels, channels
		filters = append(ir.Shape{groups}, filters...)
	}
	accepted := 0
	rounded := *op
	for _, to := range []ir.ElementType{ir.BF16, ir.F16} {
		rounded.Prepare = func(p *ops.Preparation) (*ops.Prepared, error) {
			p.Rounded = to
			return op.Prepare(p)
		}
		checkKernel(t, rng, &rounded, ir.F32, 0, at, data, filters)
	}
	for elementType, tolerance := range map[ir.ElementType]float64{ir.F64: 0, ir.F32: 0, ir.F16: 0, ir.BF16: 1, ir.I32: 0, ir.I64: 0} {
		if checkKernel(t, rng, op, elementType, tolerance, at, data, filters) {
			accepted++
		}
	}
	return accepted
}

// checkKernel compares a layer with the reference on whole numbers, which are exact in f32 and f16.
// It returns false if the window does not fit the data.
func checkKernel(t *testing.T, rng *rand.Rand, op *ops.Op, elementType ir.ElementType, tolerance float64, at layertest.Attributes, data, filters ir.Shape) bool {
	t.Helper()
	x, w := wholeNumbers(t, rng, elementType, data), wholeNumbers(t, rng, elementType, filters)
	out, err := layertest.Run(op, at, 2, x, w)
	if err != nil {
		require.ErrorContains(t, err, "is longer than the padded input")
		return false
	}
	parsed, err := parse(ir.AttributesOf(&ir.Layer{Data: at.Data()}))
	require.NoError(t, err)
	g, err := newGeometry(parsed.(*window.Attributes), data, filters, out.Shape())
	require.NoError(t, err)
	layertest.CheckNear(t, op, at, out.Shape(), reference(g, layertest.Floats(t, x), layertest.Floats(t, w)), tolerance, x, w)
	return true
}

// prepareRounded prepares a layer with constant filters that may round its operands. It also
// returns the output without rounding.
func prepareRounded(t *testing.T, op *ops.Op, to ir.ElementType, at layertest.Attributes, x, w *ir.Tensor) (exact *ir.Tensor, prepared *ops.Prepared, run *ops.Run) {
	t.Helper()
	exact, err := layertest.Run(op, at, 1, x, w)
	require.NoError(t, err)
	out, err := ir.NewTensor(ir.F32, exact.Shape()...)
	require.NoError(t, err)
	rounded := *op
	rounded.Prepare = func(p *ops.Preparation) (*ops.Prepared, error) {
		p.Rounded = to
		return op.Prepare(p)
	}
	prepared = prepareConstant(t, &rounded, at, x, w, out)
	return exact, prepared, &ops.Run{Inputs: []*ir.Tensor{x, w}, Outputs: []*ir.Tensor{out}, Scratch: ir.AlignedBytes(prepared.ScratchBytes)}
}

// TestKernel_bf16 compares convolutions in bf16 with the reference on whole numbers, which bf16
// holds. Those with windows of one element round their data while it is packed: channels that are
// no pair, of several blocks of the depth, and planes and batches whose columns are no whole
// panels.
func TestKernel_bf16(t *testing.T) {
	padded := layertest.Attributes{"pads_begin", "1,1", "pads_end", "1,1"}
	for name, c := range map[string]struct {
		at            layertest.Attributes
		data, filters ir.Shape
	}{
		"one panel":      {nil, ir.Shape{1, 2, 4, 8}, ir.Shape{3, 2, 1, 1}},
		"odd channels":   {nil, ir.Shape{1, 7, 7, 7}, ir.Shape{20, 7, 1, 1}},
		"one channel":    {nil, ir.Shape{1, 1, 5, 9}, ir.Shape{14, 1, 1, 1}},
		"blocks":         {nil, ir.Shape{1, 1701, 3, 11}, ir.Shape{13, 1701, 1, 1}},
		"many columns":   {nil, ir.Shape{1, 6, 40, 41}, ir.Shape{5, 6, 1, 1}},
		"batch":          {nil, ir.Shape{5, 5, 3, 7}, ir.Shape{13, 5, 1, 1}},
		"large batch":    {nil, ir.Shape{2, 3, 33, 47}, ir.Shape{30, 3, 1, 1}},
		"groups":         {nil, ir.Shape{2, 15, 7, 7}, ir.Shape{3, 4, 5, 1, 1}},
		"stride":         {layertest.Attributes{"strides", "2,2"}, ir.Shape{1, 5, 15, 14}, ir.Shape{13, 5, 1, 1}},
		"row stride":     {layertest.Attributes{"strides", "2,1"}, ir.Shape{1, 5, 15, 14}, ir.Shape{13, 5, 1, 1}},
		"cropped":        {layertest.Attributes{"pads_begin", "-1,-2", "pads_end", "0,-1"}, ir.Shape{2, 5, 15, 14}, ir.Shape{13, 5, 1, 1}},
		"padded 1x1":     {padded, ir.Shape{1, 6, 7, 7}, ir.Shape{9, 6, 1, 1}},
		"windows of 3x3": {padded, ir.Shape{1, 9, 14, 14}, ir.Shape{9, 9, 3, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(8, 8))
			op := &Ops[len(c.filters)-len(c.data)]
			x, w := wholeNumbers(t, rng, ir.F32, c.data), wholeNumbers(t, rng, ir.F32, c.filters)
			exact, prepared, run := prepareRounded(t, op, ir.BF16, c.at, x, w)
			require.Equal(t, "implicit GEMM of bf16", prepared.Algorithm)
			require.NoError(t, prepared.Kernel(run))
			out := run.Outputs[0]
			assert.Equal(t, ir.Data[float32](exact), ir.Data[float32](out))
			for i := range x.Len() { // numbers that are rounded
				ir.Data[float32](x)[i] *= 1 + 1./1024
			}
			require.NoError(t, prepared.Kernel(run))
			assert.Equal(t, ir.Data[float32](exact), ir.Data[float32](out))
		})
	}
}

// TestKernel_f16 checks which convolutions are computed in f16, and how large their errors are.
func TestKernel_f16(t *testing.T) {
	plain := layertest.Attributes{"pads_begin", "1,1", "pads_end", "1,1"}
	for name, c := range map[string]struct {
		at            layertest.Attributes
		data, filters ir.Shape
		scale         float64 // of the filters of channel 1
		algorithm     string
	}{
		"1x1":           {nil, ir.Shape{1, 70, 7, 7}, ir.Shape{20, 70, 1, 1}, 1, "implicit GEMM of f16"},
		"3x3":           {plain, ir.Shape{2, 13, 9, 11}, ir.Shape{9, 13, 3, 3}, 1, "implicit GEMM of f16"},
		"groups":        {plain, ir.Shape{1, 15, 9, 11}, ir.Shape{3, 4, 5, 3, 3}, 1, "implicit GEMM of f16"},
		"one channel":   {plain, ir.Shape{1, 1, 9, 11}, ir.Shape{20, 1, 3, 3}, 1, "implicit GEMM"},
		"zeros":         {nil, ir.Shape{1, 70, 7, 7}, ir.Shape{20, 70, 1, 1}, 0, "implicit GEMM of f16"},
		"large weights": {nil, ir.Shape{1, 70, 7, 7}, ir.Shape{20, 70, 1, 1}, 1e5, "implicit GEMM"},
		"small weights": {nil, ir.Shape{1, 70, 7, 7}, ir.Shape{20, 70, 1, 1}, 1e-6, "implicit GEMM"},
	} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(6, 7))
			op := &Ops[len(c.filters)-len(c.data)]
			random := func(shape ir.Shape) *ir.Tensor {
				x, err := ir.NewTensor(ir.F32, shape...)
				require.NoError(t, err)
				for i := range x.Len() {
					ir.Data[float32](x)[i] = float32(rng.NormFloat64())
				}
				return x
			}
			x, w := random(c.data), random(c.filters)
			depth := ir.Shape(c.filters[len(c.filters)-3:]).Elements()
			for i := range depth {
				ir.Data[float32](w)[depth+i] *= float32(c.scale)
			}
			exact, prepared, run := prepareRounded(t, op, ir.F16, c.at, x, w)
			require.Equal(t, c.algorithm, prepared.Algorithm)
			require.NoError(t, prepared.Kernel(run))
			out := run.Outputs[0]
			if prepared.Precision != ir.F16 {
				assert.Equal(t, ir.Data[float32](exact), ir.Data[float32](out))
				return
			}
			assert.NotEqual(t, ir.Data[float32](exact), ir.Data[float32](out))
			for i, want := range ir.Data[float32](exact) {
				// Largest errors of 0.01 of the root mean square are usual.
				require.InDelta(t, want, ir.Data[float32](out)[i], 0.03*math.Sqrt(float64(depth)), "element %d", i)
			}
		})
	}
}

func list(rng *rand.Rand, lo, hi, n int) string {
	return layertest.List(layertest.RandomInts(rng, lo, hi, n))
}

func wholeNumbers(t *testing.T, rng *rand.Rand, elementType ir.ElementType, shape ir.Shape) *ir.Tensor {
	return layertest.Numbers(t, elementType, shape, layertest.RandomNumbers(rng, 3, 1, shape.Elements())...)
}

func TestKernel(t *testing.T) {
	for name, c := range map[string]struct {
		at            layertest.Attributes
		data, filters ir.Shape
		x, w, want    []float64
	}{
		"plain":       {nil, ir.Shape{1, 1, 4}, ir.Shape{1, 1, 2}, []float64{1, 2, 3, 4}, []float64{1, 10}, []float64{21, 32, 43}},
		"five inputs": {nil, ir.Shape{1, 5, 1}, ir.Shape{1, 5, 1}, []float64{1, 2, 3, 4, 5}, []float64{1, 10, 100, 1000, 10000}, []float64{54321}},
		"cut off":     {layertest.Attributes{"pads_begin", "-1", "pads_end", "0"}, ir.Shape{1, 1, 3}, ir.Shape{1, 1, 1}, []float64{1, 2, 3}, []float64{2}, []float64{4, 6}},
		"no channels": {nil, ir.Shape{1, 0, 3}, ir.Shape{2, 0, 2}, []float64{}, []float64{}, []float64{0, 0, 0, 0}},
		"all padding": {layertest.Attributes{"pads_begin", "1", "pads_end", "1"}, ir.Shape{1, 1, 0}, ir.Shape{1, 1, 2}, []float64{}, []float64{1, 2}, []float64{0}},
		"no batch":    {nil, ir.Shape{0, 2, 3}, ir.Shape{1, 2, 2}, []float64{}, []float64{1, 2, 3, 4}, []float64{}},
		"NaN":         {nil, ir.Shape{1, 1, 3}, ir.Shape{1, 1, 2}, []float64{1, math.NaN(), 2}, []float64{0, 0}, []float64{math.NaN(), math.NaN()}},
		"wide":        {layertest.Attributes{"strides", "268435456", "dilations", "268435456", "pads_begin", "268435455", "pads_end", "3"}, ir.Shape{1, 1, 2}, ir.Shape{1, 1, 2}, []float64{5, 7}, []float64{1, 1}, []float64{7}},
	} {
		out, err := layertest.Run(&Ops[0], c.at, 2, layertest.Numbers(t, ir.F32, c.data, c.x...), layertest.Numbers(t, ir.F32, c.filters, c.w...))
		require.NoError(t, err, name)
		got := layertest.Floats(t, out)
		require.Len(t, got, len(c.want), name)
		for i, want := range c.want {
			assert.True(t, got[i] == want || math.IsNaN(got[i]) && math.IsNaN(want), "%s: element %d is %v, want %v", name, i, got[i], want)
		}
	}
}

func TestKernel_groups(t *testing.T) {
	type at = layertest.Attributes
	for name, c := range map[string]struct {
		at            layertest.Attributes
		data, filters ir.Shape
		x, w, want    []float64
	}{
		"two of one":  {nil, ir.Shape{1, 2, 2}, ir.Shape{2, 1, 1, 1}, []float64{1, 2, 3, 4}, []float64{10, 100}, []float64{10, 20, 300, 400}},
		"two of two":  {nil, ir.Shape{1, 4, 1}, ir.Shape{2, 1, 2, 1}, []float64{1, 2, 3, 4}, []float64{1, 10, 100, 1000}, []float64{21, 4300}},
		"multiplied":  {nil, ir.Shape{2, 1, 1}, ir.Shape{1, 2, 1, 1}, []float64{1, 2}, []float64{10, 100}, []float64{10, 100, 20, 200}},
		"five taps":   {at{"pads_begin", "2", "pads_end", "2"}, ir.Shape{1, 1, 3}, ir.Shape{1, 1, 1, 5}, []float64{1, 2, 3}, []float64{1, 10, 100, 1000, 10000}, []float64{32100, 3210, 321}},
		"three apart": {at{"dilations", "2", "strides", "2"}, ir.Shape{1, 1, 7}, ir.Shape{1, 1, 1, 3}, []float64{1, 2, 3, 4, 5, 6, 7}, []float64{1, 10, 100}, []float64{531, 753}},
		"no outputs":  {nil, ir.Shape{1, 2, 2}, ir.Shape{2, 0, 1, 1}, []float64{1, 2, 3, 4}, []float64{}, []float64{}},
		"NaN":         {nil, ir.Shape{1, 1, 3}, ir.Shape{1, 1, 1, 1}, []float64{1, math.NaN(), 2}, []float64{0}, []float64{0, math.NaN(), 0}},
	} {
		out, err := layertest.Run(&Ops[1], c.at, 2, layertest.Numbers(t, ir.F32, c.data, c.x...), layertest.Numbers(t, ir.F32, c.filters, c.w...))
		require.NoError(t, err, name)
		got := layertest.Floats(t, out)
		require.Len(t, got, len(c.want), name)
		for i, want := range c.want {
			assert.True(t, got[i] == want || math.IsNaN(got[i]) && math.IsNaN(want), "%s: element %d is %v, want %v", name, i, got[i], want)
		}
	}
}
