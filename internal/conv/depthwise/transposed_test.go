package depthwise

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/convtest"
)

// checkDepthwiseTransposed compares a random plan with the definition. It reports whether there is
// a plan.
func checkDepthwiseTransposed(t *testing.T, seed uint64) bool {
	rng := rand.New(rand.NewPCG(seed, 27))
	g := convtest.RandomConvolution(rng)
	g.In, g.Out = 1, 1+rng.IntN(3)
	if rng.IntN(4) == 0 {
		g.Axes[1].Output, g.Axes[1].Stride = 200, 2 // several bands
		g.Axes[1].Input = 2*200 - rng.IntN(3)
	}
	return checkTransposed(t, rng, g)
}

// checkTransposed compares the transpose of g with the definition.
func checkTransposed(t *testing.T, rng *rand.Rand, g *convtest.Convolution) bool {
	t.Helper()
	d := NewTransposed(Shape{Batch: g.Batch, Channels: g.Groups, Multiplier: g.Out, Axes: g.Axes})
	if d == nil {
		return false
	}
	outPlane, taps, inPlane := g.Sizes()
	in, filters := convtest.Whole(rng, g.Batch*g.Groups*inPlane), convtest.Whole(rng, g.Groups*g.Out*taps)
	want := make([]float64, g.Batch*g.Groups*g.Out*outPlane)
	c := *g
	c.In, c.Out = g.Out, g.In
	c.Reference(func(to, filter, from int) { want[to] += float64(in[from]) * float64(filters[filter]) })
	e := convtest.FinishSums(rng, g.Groups*g.Out, outPlane, want)
	all, out := convtest.Guarded(len(want))
	scratchAll, scratch := convtest.Guarded(d.Scratch())
	for i := range scratch {
		scratch[i] = float32(math.NaN())
	}
	cut := rng.IntN(d.Items() + 1)
	d.Run(nil, out, in, filters, e, scratch, cut, d.Items())
	d.Run(nil, out, in, filters, e, scratch, 0, cut)
	for i := range want {
		if want[i] != float64(out[i]) {
			require.Equal(t, want[i], float64(out[i]), "%+v: element %d of %d", *g, i, len(want))
		}
	}
	convtest.RequireGuards(t, all)
	convtest.RequireGuards(t, scratchAll)
	return true
}

func TestDepthwiseTransposed(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		plans := 0
		for seed := range uint64(200) {
			if checkDepthwiseTransposed(t, seed) {
				plans++
			}
		}
		assert.Greater(t, plans, 150)
	})
}

// TestDepthwiseTransposed_upsampling tests the windows that enlarge images, with strides of all
// sizes.
func TestDepthwiseTransposed_upsampling(t *testing.T) {
	convtest.WithFeatures(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 27))
		for stride := 1; stride < 9; stride++ {
			for _, n := range []int{1, 2, 15, 16, 40} {
				a := conv.Axis{Input: n * stride, Output: n, Kernel: 2*stride - stride%2, Stride: stride, Dilation: 1, PadBegin: (stride - stride%2) / 2}
				g := &convtest.Convolution{Batch: 1, Groups: 2, In: 1, Out: 1, Axes: [3]conv.Axis{convtest.Axis(1, 1, 1, 1, 1, 0), a, a}}
				require.True(t, checkTransposed(t, rng, g), "%+v", g)
			}
		}
	})
}

func TestDepthwiseTransposed_far(t *testing.T) {
	one := conv.Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
	for _, far := range []conv.Axis{
		{Input: 1 << 30, Output: 2, Kernel: 1, Stride: 1<<30 - 1, Dilation: 1},
		{Input: 1 << 30, Output: 1, Kernel: 2, Stride: 1, Dilation: 1<<30 - 1},
		{Input: 9000, Output: 9, Kernel: 9000, Stride: 1, Dilation: 1},
	} {
		shape := Shape{Batch: 1, Channels: 1, Multiplier: 1, Axes: [3]conv.Axis{one, far, far}}
		assert.Nil(t, NewTransposed(shape), "%+v", far)
		assert.Positive(t, shape.TransposedTableBytes())
	}
}

func FuzzDepthwiseTransposed(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkDepthwiseTransposed(t, seed) })
}
