package levels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

// TestSumCodes compares the code for each kind of processor with the definition, with memory around
// out that must stay.
func TestSumCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for n := range 140 {
		of := &Sum{Scale: [2]float32{rng.Float32(), -rng.Float32()}, Shift: rng.Float32() * 50, Hi: 255}
		if n%2 > 0 {
			of.Lo, of.Hi = 20, 200
		}
		if n%8 == 7 {
			of.Shift = float32(math.NaN())
		}
		a, b := make([]uint8, n), make([]uint8, n)
		for i := range a {
			a[i], b[i] = uint8(rng.UintN(256)), uint8(rng.UintN(256))
		}
		for _, off := range processors {
			got, sums := make([]uint8, n+2), make([]float32, n+2)
			got[0], got[n+1], sums[0], sums[n+1] = 99, 99, 99, 99
			restore := cpu.Disable(off...)
			SumCodes(got[1:n+1], a, b, of)
			Sums(sums[1:n+1], a, b, of)
			inPlace := append([]uint8{}, a...)
			SumCodes(inPlace, inPlace, b, of)
			restore()
			assert.Equal(t, []uint8{99, 99}, []uint8{got[0], got[n+1]})
			assert.Equal(t, []float32{99, 99}, []float32{sums[0], sums[n+1]})
			assert.Equal(t, got[1:n+1], inPlace)
			for i := range a {
				x := float32(of.Shift+float32(float32(a[i])*of.Scale[0])) + float32(float32(b[i])*of.Scale[1])
				if x == x {
					require.Equal(t, x, sums[i+1], "element %d of %d", i, n)
				}
				if !(x > of.Lo) {
					x = of.Lo
				}
				require.Equal(t, code(min(x, of.Hi), 1, 0, 255), got[i+1], "%+v, element %d of %d", of, i, n)
			}
		}
	}
}

// TestSumCodes_blocks has more elements than are computed at a time.
func TestSumCodes_blocks(t *testing.T) {
	defer cpu.Disable(cpu.AVX512, cpu.AVX2)()
	n := 2*sumBlock + 3
	a, b, got := make([]uint8, n), make([]uint8, n), make([]uint8, n)
	for i := range a {
		a[i], b[i] = uint8(i), uint8(i/256)
	}
	SumCodes(got, a, b, &Sum{Scale: [2]float32{1, 2}, Hi: 255})
	for i, v := range got {
		require.Equal(t, uint8(min(i%256+2*(i/256), 255)), v, "element %d", i)
	}
}

func BenchmarkSumCodes(b *testing.B) {
	out, x, y := make([]uint8, 1<<14), make([]uint8, 1<<14), make([]uint8, 1<<14)
	b.SetBytes(3 << 14)
	for b.Loop() {
		SumCodes(out, x, y, &Sum{Scale: [2]float32{1, 2}, Hi: 255})
	}
}
