package implicit

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/lines"
	"github.com/vinoir/vinoir/internal/cpu"
)

// TestPhaseGroups compares the phases with the definition: which elements of the filter contribute
// to an output, and with which elements of the data.
func TestPhaseGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 12))
	for range 300 {
		a := conv.Axis{Input: 1 + rng.IntN(12), Kernel: rng.IntN(7), Stride: 1 + rng.IntN(5), Dilation: 1 + rng.IntN(6), PadBegin: rng.IntN(9) - 4}
		seen := 0
		for _, l := range phaseGroups(&a) {
			seen += len(l.phases)
			for i, phase := range l.phases {
				n := 0
				for k := range a.Kernel {
					from := phase + a.PadBegin - k*a.Dilation
					if from%a.Stride != 0 {
						continue
					}
					assert.Equal(t, []int{k, from / a.Stride}, []int{l.taps[i][n], l.offsets[n]}, "%+v phase %d", a, phase)
					n++
				}
				assert.Len(t, l.offsets, n, "%+v phase %d", a, phase)
			}
		}
		assert.Equal(t, min(a.Stride, a.Input), seen)
	}
	long := conv.Axis{Input: 1 << 12, Kernel: 1 << 20, Stride: 1 << 12, Dilation: 1 << 10}
	assert.Equal(t, 2, len(phaseGroups(&long)), "each element of the filter is looked at once")
}

// TestInterleaveBytes has all lengths of the last vector, with and without assembly.
func TestInterleaveBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 12))
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX2}}) {
		defer cpu.Disable(off...)()
		for n := range 150 {
			rows := rng.Perm(3)[:1+rng.IntN(3)]
			stride := (n+len(rows)-1)/len(rows) + rng.IntN(3)
			from, to := make([]uint8, 3*stride), make([]uint8, n+1)
			for i := range from {
				from[i] = uint8(rng.UintN(256))
			}
			to[n] = 77
			lines.InterleaveBytes(to[:n], from, rows, stride)
			for i, got := range to[:n] {
				require.Equal(t, from[rows[i%len(rows)]*stride+i/len(rows)], got, "element %d of %d", i, n)
			}
			require.Equal(t, uint8(77), to[n])
		}
	}
}
