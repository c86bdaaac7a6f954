package reduction

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// TestFloatMaxima compares random windows with the definition: whole planes, and parts of one. It
// then puts a NaN into the input.
func TestFloatMaxima(t *testing.T) {
	if !hasFloatMaxima() {
		t.Skip("there is no assembly")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var axes [2]Window
		for j := range axes {
			w := Window{Input: 1 + rng.IntN(100), Kernel: 1 + rng.IntN(maxFloatKernel), Stride: 1 + rng.IntN(3), Dilation: 1 + rng.IntN(3), PadBegin: rng.IntN(4)}
			if j == 1 {
				w.Stride, w.Dilation = 2, 1
			}
			w.Output = 1 + max(w.Input+w.PadBegin+rng.IntN(4)-(w.Kernel-1)*w.Dilation-1, 0)/w.Stride
			if w.Kernel == 1 && rng.IntN(2) == 0 {
				w.Dilation = math.MaxInt
			}
			axes[j] = w
		}
		checkFloatMaxima(t, rng, axes[0], axes[1])
	}
}

func checkFloatMaxima(t *testing.T, rng *rand.Rand, y, x Window) {
	t.Helper()
	p := NewFloatMaxima(y, x)
	require.NotNil(t, p)
	assert.LessOrEqual(t, int64(24*len(p.steps)), FloatMaximaTableBytes(x))
	planes, plane, inPlane := 1+rng.IntN(3), y.Output*x.Output, y.Input*x.Input
	in, want := make([]float32, planes*inPlane), make([]float32, planes*plane)
	for i := range in {
		in[i] = float32(rng.NormFloat64())
	}
	read := -1 // an element that a window has
	for i := range want {
		want[i] = float32(math.Inf(-1))
		for k := range y.Kernel {
			for l := range x.Kernel {
				r, c := i%plane/x.Output*y.Stride+k*y.Dilation-y.PadBegin, i%x.Output*x.Stride+l*x.Dilation-x.PadBegin
				if r >= 0 && r < y.Input && c >= 0 && c < x.Input {
					read = i/plane*inPlane + r*x.Input + c
					want[i] = max(want[i], in[read])
				}
			}
		}
	}
	out := make([]float32, len(want)+1)
	out[len(want)] = 77
	require.True(t, p.Rows(out[:len(want)], in, 0, y.Output))
	require.Equal(t, want, out[:len(want)], "%+v %+v", y, x)
	require.Equal(t, float32(77), out[len(want)])
	first := rng.IntN(y.Output)
	n := 1 + rng.IntN(y.Output-first)
	part := make([]float32, n*x.Output+1)
	require.True(t, p.Rows(part[:n*x.Output], in[:inPlane], first, n))
	require.Equal(t, want[first*x.Output:][:n*x.Output], part[:n*x.Output], "%+v %+v, rows %d to %d", y, x, first, first+n)
	if read >= 0 {
		in[read] = float32(math.NaN())
		require.False(t, p.Rows(out[:len(want)], in, 0, y.Output), "%+v %+v, NaN at %d", y, x, read)
	}
}

// TestNewFloatMaxima_refuses has windows and processors without assembly.
func TestNewFloatMaxima_refuses(t *testing.T) {
	w := Window{Input: 4, Output: 2, Kernel: 2, Stride: 2, Dilation: 1}
	wide, near, far, empty := w, w, w, w
	wide.Kernel, near.Stride, far.Dilation, empty.Input = maxFloatKernel+1, 1, 2, 0
	for _, x := range []Window{wide, near, far, empty} {
		assert.Nil(t, NewFloatMaxima(w, x), "%+v", x)
	}
	defer cpu.AVX512.Disable()()
	assert.Nil(t, NewFloatMaxima(w, w))
}
