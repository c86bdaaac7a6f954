package adaptivepool

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// TestMaxColumns compares the places of maxima with those of firstMax. The numbers have many that
// are equal.
func TestMaxColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	negativeNaN := math.Float32frombits(0xffc00000)
	numbers := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 2, -2, 1e-45, -1e-45, math.MaxFloat32, -math.MaxFloat32,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), negativeNaN}
	meter := parallel.Stop(nil).Meter()
	check := func() {
		for range 2000 {
			kinds := len(numbers) - 2*rng.IntN(2) // half of the cases have no NaN
			low := rng.IntN(kinds)
			b := box{planes: 1 + rng.IntN(2), rows: 1 + rng.IntN(5), columns: 1 + rng.IntN(40), first: rng.IntN(5)}
			b.pitch = b.columns + rng.IntN(3)
			b.volume = b.rows*b.pitch + rng.IntN(3)
			in := make([]float32, b.first+b.planes*b.volume)
			for i := range in {
				in[i] = numbers[low+rng.IntN(kinds-low)]
			}
			var columns maxColumns
			columns[b.columns] = 7
			known := columns.set(&meter, in, &b)
			require.Equal(t, int64(7), columns[b.columns])
			nan := false
			for i := range b.columns {
				place := firstMax(&meter, in, b.part(span{i, i + 1}))
				nan = nan || in[place] != in[place]
			}
			require.Equal(t, !nan, known)
			for range 5 {
				lo := rng.IntN(b.columns)
				s := span{lo, lo + 1 + rng.IntN(b.columns-lo)}
				if known {
					require.Equal(t, firstMax(&meter, in, b.part(s)), columns.place(s), "%v of %v", s, b)
				}
			}
		}
	}
	check()
	defer cpu.AVX2.Disable()()
	check()
}

func TestKernel_allocations(t *testing.T) {
	data, lengths := layertest.Counted(t, ir.F32, 2, 30, 28, 28), layertest.Ints(t, ir.I64, ir.Shape{2}, 7, 5)
	layertest.CheckAllocations(t, &Ops[0], nil, data, lengths)
	layertest.CheckAllocationsOf(t, &Ops[1], nil, 2, data, lengths)
}
