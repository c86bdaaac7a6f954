package reduction

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// TestByteMaxima compares random windows with the definition.
func TestByteMaxima(t *testing.T) {
	if !hasByteMaxima() {
		t.Skip("there is no assembly")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		if i == 500 {
			defer cpu.AVX512.Disable()()
		}
		var axes [2]Window
		for j := range axes {
			w := Window{Input: 1 + rng.IntN(150), Kernel: 1 + rng.IntN(7), Stride: 1 + rng.IntN(3-j), Dilation: 1 + rng.IntN(3), PadBegin: rng.IntN(4)}
			w.Output = 1 + max(w.Input+w.PadBegin+rng.IntN(4)-(w.Kernel-1)*w.Dilation-1, 0)/w.Stride
			axes[j] = w
		}
		if y := &axes[0]; y.Kernel == 1 && rng.IntN(2) == 0 {
			y.Dilation = math.MaxInt
		}
		checkByteMaxima(t, rng, axes[0], axes[1])
	}
}

func checkByteMaxima(t *testing.T, rng *rand.Rand, y, x Window) {
	t.Helper()
	p := NewByteMaxima(y, x)
	require.NotNil(t, p)
	assert.LessOrEqual(t, int64(8*len(p.table)), ByteMaximaTableBytes(x))
	planes, plane, inPlane := 1+rng.IntN(3), y.Output*x.Output, y.Input*x.Input
	in, out := make([]uint8, planes*inPlane), make([]uint8, planes*plane+1)
	for i := range in {
		in[i] = uint8(rng.UintN(256))
	}
	out[len(out)-1] = 77
	p.Planes(nil, out[:len(out)-1], in)
	for i, got := range out[:len(out)-1] {
		want := uint8(0)
		for k := range y.Kernel {
			for l := range x.Kernel {
				r, c := i%plane/x.Output*y.Stride+k*y.Dilation-y.PadBegin, i%x.Output*x.Stride+l*x.Dilation-x.PadBegin
				if r >= 0 && r < y.Input && c >= 0 && c < x.Input {
					want = max(want, in[i/plane*inPlane+r*x.Input+c])
				}
			}
		}
		require.Equal(t, want, got, "%+v %+v, element %d", y, x, i)
	}
	require.Equal(t, uint8(77), out[len(out)-1])
}

// TestNewByteMaxima_refuses has windows and processors without assembly.
func TestNewByteMaxima_refuses(t *testing.T) {
	w := Window{Input: 4, Output: 4, Kernel: 1, Stride: 1, Dilation: 1}
	wide, far, empty := w, w, w
	wide.Kernel, far.Stride, empty.Input = maxTaps+1, 3, 0
	assert.Nil(t, NewByteMaxima(w, wide))
	assert.Nil(t, NewByteMaxima(w, far))
	assert.Nil(t, NewByteMaxima(empty, w))
	defer cpu.AVX512.Disable()()
	long, far := w, w
	long.Output, long.Input, far.Dilation = maxLine+1, maxLine+1, math.MaxInt
	assert.Nil(t, NewByteMaxima(w, long))
	assert.Nil(t, NewByteMaxima(w, far))
	defer cpu.Disable(cpu.AVX2, cpu.NEON)()
	assert.Nil(t, NewByteMaxima(w, w))
}
