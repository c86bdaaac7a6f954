package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/gemm/tile"
)

// pairsOfBits returns the two numbers of a pair.
func pairsOfBits(f16 bool, x Pair) (first, second float64) {
	bits := pack.Bits(x)
	return float64(pack.PairNumber(f16, bits)), float64(pack.PairNumber(f16, bits>>16))
}

// pairType returns the name of the type of numbers.
func pairType(f16 bool) string {
	if f16 {
		return "f16"
	}
	return "bf16"
}

// TestPairs compares products of pairs of many sizes with sums in float64.
func TestPairs(t *testing.T) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AMX, cpu.AMXFP16}, {cpu.AMX, cpu.AMXFP16, cpu.AVX512BF16}}) {
		for _, f16 := range []bool{false, true} {
			t.Run(fmt.Sprint(pairType(f16), " without ", off), func(t *testing.T) {
				defer cpu.Disable(off...)()
				checkPairs(t, func() *PairKernel { return NewPairs(f16) })
			})
		}
	}
}

// checkPairs is TestPairs for one kernel.
func checkPairs(t *testing.T, kernel func() *PairKernel) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range [][3]int{{1, 1, 1}, {12, 32, 40}, {13, 33, 41}, {5, 8, 7}, {24, 100, 90}, {11, 17, 3}, {7, 24, 85}, {2, 50, 80}, {3, 9, 120}} {
		m, n, depth := size[0], size[1], size[2]
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			k := kernel()
			k.KC = 40
			a, b := make([]Pair, m*depth), make([]Pair, depth*n)
			for _, x := range [][]Pair{a, b} {
				first, second := make([]float32, len(x)), make([]float32, len(x))
				for i := range x {
					first[i], second[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
				}
				k.PairRows(x, first, second)
			}
			e := []Step{{Op: AddRows, Values: make([]float32, m)}, {Op: AddColumns, Values: make([]float32, n)}, {Op: Clamp, Lo: -3, Hi: 4}}
			for i := range e[0].Values {
				e[0].Values[i] = float32(i)
			}
			for j := range e[1].Values {
				e[1].Values[j] = float32(-j)
			}
			c := make([]float32, m*n)
			packA, packB := make([]Pair, k.PanelsA(m)*k.MR*depth), make([]Pair, k.PackedLenB(n, depth))
			for i := range k.Blocks(depth) {
				k.PackA(packA[i*k.KC*k.PanelsA(m)*k.MR:], Matrix[Pair]{a, depth, 1}, m, depth, i, 0, k.PanelsA(m))
				k.PackB(packB[i*k.KC*k.PanelsB(n)*k.NR:], Matrix[Pair]{b, n, 1}, n, depth, i, 0, k.PanelsB(n))
			}
			for i := range k.Blocks(depth) {
				k.Multiply(&Product[Pair, float32]{C: c, LDC: n, A: packA[i*k.KC*k.PanelsA(m)*k.MR:], B: packB[i*k.KC*k.PanelsB(n)*k.NR:], Depth: depth, Block: i, MHi: m, NHi: n, Steps: e})
			}
			tolerance := 1e-5 * float64(depth)
			if !k.AddsF32() {
				tolerance = 2e-3 * math.Sqrt(64*2*float64(depth))
			}
			for i := range m {
				for j := range n {
					sum := 0.0
					for p := range depth {
						a1, a2 := pairsOfBits(k.RoundsToF16(), a[i*depth+p])
						b1, b2 := pairsOfBits(k.RoundsToF16(), b[p*n+j])
						sum += a1*b1 + a2*b2
					}
					want := min(max(sum+float64(i)-float64(j), -3), 4)
					if !assert.InDelta(t, want, c[i*n+j], tolerance, "row %d, column %d", i, j) {
						return
					}
				}
			}
		})
	}
}

// TestPairRows checks rounding, special numbers and all lengths of the last vector, with the
// assembly and without it.
func TestPairRows(t *testing.T) {
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1.00390625, 1.01171875, 65504, 65519.996, 65520, 6e-8, 2.9e-8, 1.00048828125, -1.00146484375,
		math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), 3.1415927}
	check := func(t *testing.T, f16 bool) {
		k := NewPairs(f16)
		for n := range 40 {
			first, second, dst := make([]float32, n), make([]float32, n), make([]Pair, n+1)
			for i := range n {
				first[i], second[i] = special[i%len(special)], special[(i*7+n)%len(special)]
			}
			dst[n] = 5
			k.PairRows(dst[:n], first, second)
			for i := range n {
				want := pack.RoundedBits(f16, first[i]) | pack.RoundedBits(f16, second[i])<<16
				assert.Equal(t, want, pack.Bits(dst[i]), "%v and %v", first[i], second[i])
			}
			k.PairRows(dst[:n], first, nil)
			for i := range n {
				assert.Equal(t, pack.RoundedBits(f16, first[i]), pack.Bits(dst[i]), "%v alone", first[i])
			}
			assert.Equal(t, Pair(5), dst[n], "the element after the last one")
			k.PairElements(dst[:pack.PairsOf(n)], first)
			for i := range n {
				a, b := pairsOfBits(f16, dst[i/2])
				assert.Equal(t, float64(pack.PairNumber(f16, pack.RoundedBits(f16, first[i]))), [2]float64{a, b}[i%2])
			}
		}
		nan := []Pair{0}
		k.PairRows(nan, []float32{float32(math.NaN())}, []float32{float32(math.NaN())})
		a, b := pairsOfBits(f16, nan[0])
		assert.True(t, math.IsNaN(a) && math.IsNaN(b))
	}
	for _, f16 := range []bool{false, true} {
		t.Run(pairType(f16), func(t *testing.T) { check(t, f16) })
		t.Run(pairType(f16)+" in Go", func(t *testing.T) {
			defer cpu.Disable(cpu.AVX512BF16, cpu.FMA, cpu.NEON)()
			check(t, f16)
		})
	}
}

// TestPairPanel compares panels that are rounded and packed in one pass with rows of pairs.
func TestPairPanel(t *testing.T) {
	k := NewPairs(false)
	if !k.PacksPairs() {
		t.Skip("SKIPPED: the processor has no AVX512_BF16")
	}
	r := rand.New(rand.NewPCG(3, 3))
	for rows := 1; rows < 8; rows++ {
		for columns := 1; columns <= k.NR; columns++ {
			stride := columns + rows%3
			src := make([]float32, (rows-1)*stride+columns)
			for i := range src {
				src[i] = float32(r.NormFloat64())
			}
			panel, want := make([]Pair, pack.PairsOf(rows)*k.NR+1), make([]Pair, pack.PairsOf(rows)*k.NR)
			for i := range panel {
				panel[i] = 5
			}
			k.PairPanel(panel[:len(want)], src, stride, rows, columns)
			for p := 0; p < rows; p += 2 {
				var second []float32
				if p+1 < rows {
					second = src[(p+1)*stride:]
				}
				k.PairRows(want[p/2*k.NR:][:columns], src[p*stride:], second)
			}
			for i := range want {
				require.Equal(t, pack.Bits(want[i]), pack.Bits(panel[i]), "%d rows, %d columns, element %d", rows, columns, i)
			}
			require.Equal(t, Pair(5), panel[len(want)], "the element after the last one")
		}
	}
}

func BenchmarkPairs(b *testing.B) {
	if !tile.HasPairs(false) {
		b.Skip("the processor has no AVX512_BF16")
	}
	const n = 1024
	k := NewPairs(false)
	depth := n / 2
	packA, packB, c := make([]Pair, k.PanelsA(n)*k.MR*depth), make([]Pair, k.PackedLenB(n, depth)), make([]float32, n*n)
	for b.Loop() {
		for i := range k.Blocks(depth) {
			k.Multiply(&Product[Pair, float32]{C: c, LDC: n, A: packA[i*k.KC*k.PanelsA(n)*k.MR:], B: packB[i*k.KC*k.PanelsB(n)*k.NR:], Depth: depth, Block: i, MHi: n, NHi: n})
		}
	}
	b.ReportMetric(2*n*n*n*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
