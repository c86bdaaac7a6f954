package implicit

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/convtest"
	"github.com/vinoir/vinoir/internal/cpu"
)

// regionGeometry returns a convolution with large dilations and paddings.
func regionGeometry(rng *rand.Rand) *Geometry {
	g := &Geometry{Batch: 1 + rng.IntN(2), Groups: 1 + rng.IntN(2), In: minRegionDepth * (1 + rng.IntN(2)), Out: 1 + rng.IntN(16)}
	first := rng.IntN(3) // the axes before it are missing
	for i := range g.Axes {
		a := conv.Axis{Input: 1, Output: 1, Kernel: 1, Stride: 1, Dilation: 1}
		if i >= first {
			a.Input, a.Kernel, a.Dilation = 1+rng.IntN(8), 1+rng.IntN(4), 1+rng.IntN(6)
			a.PadBegin = rng.IntN(3 * a.Dilation)
			if i < 2 {
				a.Stride += rng.IntN(2)
			}
			a.Output = max((a.Input+2*a.PadBegin-(a.Kernel-1)*a.Dilation-1)/a.Stride+1, 1)
		}
		g.Axes[i] = a
	}
	if rng.IntN(2) == 0 && first == 2 {
		g.Axes[2].Input *= 80 // a line of several bands
		g.Axes[2].Output = g.Axes[2].Input
	}
	return g
}

// checkRegions compares a random convolution with the definition. It reports whether there is a
// plan.
func checkRegions(t *testing.T, seed uint64) bool {
	rng := rand.New(rand.NewPCG(seed, 17))
	g := regionGeometry(rng)
	threads := 1 + rng.IntN(3)
	m := NewRegions(g, threads)
	if m == nil {
		return false
	}
	checkProduct(t, rng, g, m, threads, true, false)
	return true
}

func TestRegions(t *testing.T) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX512}, {cpu.AVX512, cpu.FMA, cpu.AVX2}}) {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			plans := 0
			for seed := range uint64(60) {
				if checkRegions(t, seed) {
					plans++
				}
			}
			assert.Greater(t, plans, 20)
		})
	}
}

func FuzzRegions(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkRegions(t, seed) })
}

// TestNewPieces compares pieces with the definition.
func TestNewPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 17))
	for range 2000 {
		a := conv.Axis{Input: 1 + rng.IntN(20), Output: 1 + rng.IntN(40), Kernel: 1 + rng.IntN(5), Stride: 1 + rng.IntN(3), Dilation: 1 + rng.IntN(8), PadBegin: rng.IntN(30) - 5}
		most, next := 1+rng.IntN(12), 0
		for _, p := range newPieces(&a, most) {
			require.Equal(t, next, p.lo, "%+v", a)
			require.Greater(t, p.hi, p.lo, "%+v", a)
			require.LessOrEqual(t, p.outputs(), most, "%+v", a)
			next = p.hi
			for o := p.lo; o < p.hi; o++ {
				for k := range a.Kernel {
					inside := a.At(o, k) >= 0 && a.At(o, k) < a.Input
					require.Equal(t, inside, p.first <= k && k < p.end, "%+v: output %d, element %d, %+v", a, o, k, p)
				}
			}
		}
		require.Equal(t, a.Output, next)
	}
}

// TestRegions_pays takes dilated windows of real networks, and leaves windows that hardly reach
// beyond the input to a Plan.
func TestRegions_pays(t *testing.T) {
	for _, test := range []struct {
		size, dilation, in int
		want               bool
	}{{33, 18, 160, true}, {33, 12, 2048, true}, {65, 2, 512, false}, {14, 1, 256, false}, {33, 18, 3, false}, {33, 18, 31 * 37, true}, {33, 18, 1009, false}} {
		a := conv.Axis{Input: test.size, Output: test.size, Kernel: 3, Stride: 1, Dilation: test.dilation, PadBegin: test.dilation}
		g := &Geometry{Batch: 1, Groups: 1, In: test.in, Out: 64, Axes: [3]conv.Axis{convtest.Axis(1, 1, 1, 1, 1, 0), a, a}}
		assert.Equal(t, test.want, NewRegions(g, 1) != nil, "%+v", test)
	}
	for _, g := range []*Geometry{
		{Batch: 1, Groups: 1, In: 64, Out: 8, Axes: [3]conv.Axis{convtest.Axis(1, 1, 1, 1, 1, 0), convtest.Axis(9, 9, 3, 1, 8, 8), convtest.Axis(9, 5, 3, 2, 8, 8)}},
		{Batch: 1, Groups: 1, In: 64, Out: 8, Axes: [3]conv.Axis{convtest.Axis(1, 1, 1, 1, 1, 0), convtest.Axis(9, 9, 17, 1, 1, 8), convtest.Axis(9, 9, 3, 1, 8, 8)}},
		{Batch: 1, Groups: 1, In: 64, Out: 8, Axes: [3]conv.Axis{convtest.Axis(1, 1, 1, 1, 1, 0), convtest.Axis(1, 1, 1, 1, 1, 0), convtest.Axis(9, 1<<16+1, 3, 1, 1<<15, 1<<16)}},
	} {
		assert.Nil(t, NewRegions(g, 1), "%+v", g)
		assert.GreaterOrEqual(t, g.RegionTableBytes(), int64(0))
	}
}
