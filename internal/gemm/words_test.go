package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// TestWords multiplies rows of u8 by a matrix of i8, and compares the sums with the definition.
func TestWords(t *testing.T) {
	defer cpu.Disable(cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512)()
	if !pack.HasWords() {
		t.Skip("there is no assembly")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		m, n, depth := 1+rng.IntN(20), 1+rng.IntN(50), 1+rng.IntN(40)
		a, b := make([]uint8, m*2*depth), make([]int8, n*2*depth)
		for i := range a {
			a[i] = uint8(rng.UintN(256))
		}
		for i := range b {
			b[i] = int8(rng.UintN(256))
		}
		k := NewWords()
		if rng.IntN(2) == 0 {
			k.KC = 1 + rng.IntN(depth)
		}
		wideA, wideB := make([]float32, m*depth), make([]float32, depth*n)
		pack.WidenBytes(wideA, a, 0)
		for p := range depth {
			for j := range n {
				wideB[p*n+j] = pack.Word(int16(b[2*p*n+j]), int16(b[(2*p+1)*n+j]))
			}
		}
		pa := k.PackAllA(nil, Matrix[float32]{wideA, depth, 1}, m, depth)
		pb := k.PackAllB(nil, Matrix[float32]{wideB, n, 1}, n, depth)
		c := make([]float32, m*n+1)
		c[m*n] = guard
		for i := range k.Blocks(depth) {
			k.Multiply(c, n, pa.Block(i), pb.Block(i), depth, i, 0, m, 0, n)
		}
		for i := range m {
			for j := range n {
				want := int32(0)
				for p := range 2 * depth {
					want += int32(a[i*2*depth+p]) * int32(b[p*n+j])
				}
				require.Equal(t, want, int32(math.Float32bits(c[i*n+j])), "%dx%dx%d, row %d, column %d", m, depth, n, i, j)
			}
		}
		require.Equal(t, float32(guard), c[m*n])
	}
}

// TestScaleSums has all lengths of the last vector, with and without assembly.
func TestScaleSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, off := range [][]*cpu.Feature{nil, {cpu.FMA}} {
		defer cpu.Disable(off...)()
		for n := range 40 {
			c, scale, offset, want := make([]float32, n+1), make([]float32, n), make([]float32, n), make([]float64, n)
			for i := range n {
				sum := rng.Int32N(1<<24) - 1<<23
				c[i] = math.Float32frombits(uint32(sum))
				scale[i], offset[i] = rng.Float32(), 1000*rng.Float32()
				want[i] = float64(sum)*float64(scale[i]) + float64(offset[i])
			}
			c[n] = guard
			pack.ScaleSums(c[:n], scale, offset)
			for i := range want {
				require.InEpsilon(t, want[i], c[i], 1e-6, fmt.Sprint(i, " of ", n))
			}
			require.Equal(t, float32(guard), c[n])
		}
	}
}
