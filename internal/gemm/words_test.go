package gemm

import (
	"fmt"
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
		wideA, wideB := make([]Word, m*depth), make([]Word, depth*n)
		pack.WidenBytes(wideA, a, 0)
		for p := range depth {
			for j := range n {
				wideB[p*n+j] = pack.WordOf(int16(b[2*p*n+j]), int16(b[(2*p+1)*n+j]))
			}
		}
		pa := k.PackAllA(nil, Matrix[Word]{wideA, depth, 1}, m, depth)
		pb := k.PackAllB(nil, Matrix[Word]{wideB, n, 1}, n, depth)
		c := make([]Sum, m*n+1)
		c[m*n] = guard
		for i := range k.Blocks(depth) {
			k.Multiply(&Product[Word, Sum]{C: c, LDC: n, A: pa.Block(i), B: pb.Block(i), Depth: depth, Block: i, MHi: m, NHi: n})
		}
		for i := range m {
			for j := range n {
				want := int32(0)
				for p := range 2 * depth {
					want += int32(a[i*2*depth+p]) * int32(b[p*n+j])
				}
				require.Equal(t, want, c[i*n+j].Int32(), "%dx%dx%d, row %d, column %d", m, depth, n, i, j)
			}
		}
		require.Equal(t, Sum(guard), c[m*n])
	}
}

// TestScaleSums has all lengths of the last vector, with and without assembly.
func TestScaleSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.FMA}}) {
		defer cpu.Disable(off...)()
		for n := range 40 {
			c, scale, offset, want := make([]Sum, n+1), make([]float32, n), make([]float32, n), make([]float64, n)
			for i := range n {
				sum := rng.Int32N(1<<24) - 1<<23
				c[i] = pack.SumOf(sum)
				scale[i], offset[i] = rng.Float32(), 1000*rng.Float32()
				want[i] = float64(sum)*float64(scale[i]) + float64(offset[i])
			}
			c[n] = guard
			pack.ScaleSums(c[:n], scale, offset)
			for i := range want {
				require.InEpsilon(t, want[i], float32(c[i]), 1e-6, fmt.Sprint(i, " of ", n))
			}
			require.Equal(t, Sum(guard), c[n])
		}
	}
}
