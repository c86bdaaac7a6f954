package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm/tile"
	"github.com/vinoir/vinoir/internal/half"
)

// randomWeights returns a matrix of f16 or bf16 in row-major or column-major order, and the same
// numbers as float32. Some are 0, subnormal, large or infinite.
func randomWeights(rng *rand.Rand, rows, columns int, bf16 bool) (narrow Matrix[uint16], wide Matrix[float32]) {
	narrow = Matrix[uint16]{make([]uint16, rows*columns), columns, 1}
	if rng.IntN(2) == 0 {
		narrow.RowStride, narrow.ColStride = 1, rows
	}
	numbers := make([]float32, rows*columns)
	for i := range numbers {
		numbers[i] = float32(rng.NormFloat64())
		if rng.IntN(100) == 0 {
			numbers[i] = []float32{0, 3e-6, -1e-40, 65504, float32(math.Inf(-1))}[rng.IntN(5)]
		}
	}
	if bf16 {
		half.F32sToBF16s(cast.Slice[half.BFloat16](narrow.Data), numbers)
		half.BF16sToF32s(numbers, cast.Slice[half.BFloat16](narrow.Data))
	} else {
		half.F32sToF16s(narrow.Data, numbers)
		half.F16sToF32s(numbers, narrow.Data)
	}
	return narrow, Matrix[float32]{numbers, narrow.RowStride, narrow.ColStride}
}

// TestPackHalves compares products with those of the same numbers in float32, bit by bit, for few
// rows and for many, and for panels that are not full.
func TestPackHalves(t *testing.T) {
	eachKernel(t, func(name string, k *FloatKernel) {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(11, 12))
			block := *k
			for i := range 200 {
				m, n, depth := 1+rng.IntN(5), 1+rng.IntN(3*k.NR), 1+rng.IntN(60)
				if i%4 == 0 {
					m = 1 + rng.IntN(8*k.MR)
				}
				block.KC = 1 + rng.IntN(80)
				bf16 := i%2 == 0
				a := random(rng, m, depth)
				narrow, wide := randomWeights(rng, depth, n, bf16)
				e := randomSteps(rng, m, n)
				want, got := make([]float32, m*n+1), make([]float32, m*n+1)
				left := block.PackAllA(nil, a, m, depth)
				packed, halves := block.PackAllB(nil, wide, n, depth), block.PackHalves(nil, narrow, bf16, n, depth)
				require.Zero(t, block.PanelLen(packed, depth))
				panel := make([]float32, block.PanelLen(halves, depth))
				cut := rng.IntN(block.PanelsB(n)+1) * k.NR
				for i := range block.Blocks(depth) {
					block.MultiplyPacked(&FloatProduct{C: want, LDC: n, A: left.Block(i), Depth: depth, Block: i, MHi: m, NHi: n, Steps: e}, packed, nil)
					block.MultiplyPacked(&FloatProduct{C: got, LDC: n, A: left.Block(i), Depth: depth, Block: i, MHi: m, NHi: min(cut, n), Steps: e}, halves, panel)
					block.MultiplyPacked(&FloatProduct{C: got, LDC: n, A: left.Block(i), Depth: depth, Block: i, MHi: m, NLo: min(cut, n), NHi: n, Steps: e}, halves, panel)
				}
				require.Equal(t, bitsOf(want), bitsOf(got), "%dx%dx%d, bf16 %t, blocks of %d, %+v", m, depth, n, bf16, block.KC, e)
				require.Zero(t, testing.AllocsPerRun(1, func() {
					block.MultiplyPacked(&FloatProduct{C: got, LDC: n, A: left.Block(0), Depth: depth, MHi: m, NHi: n, Steps: e}, halves, panel)
				}))
			}
		})
	})
}

// bitsOf returns the bits of numbers, which differ for 0 and -0, and not for NaN of one kind.
func bitsOf(x []float32) []uint32 {
	bits := make([]uint32, len(x))
	for i, v := range x {
		bits[i] = math.Float32bits(v)
	}
	return bits
}

// TestPackHalves_bounds gives products of few rows slices that are one element too short. The
// assembly, which does not check bounds, must not run.
func TestPackHalves_bounds(t *testing.T) {
	eachKernel(t, func(name string, k *FloatKernel) {
		t.Run(name, func(t *testing.T) {
			if k.ISA == tile.Portable {
				return // Go checks bounds
			}
			const depth, rows = 5, 3
			n := 2 * k.NR
			lengths := [5]int{k.PanelsA(rows) * k.MR * depth, n * depth, rows * n, rows, n}
			for i := range len(lengths) + 1 {
				short := lengths
				if i < len(lengths) {
					short[i]--
				}
				a, c := make([]float32, short[0], lengths[0]), make([]float32, short[2], lengths[2])
				e := []Step{{Op: AddRows, Values: make([]float32, short[3], rows)}, {Op: AddColumns, Values: make([]float32, short[4], n)}}
				b := &Packed[float32]{halves: &halves{data: make([]uint16, short[1], lengths[1])}, lines: n, kc: k.KC}
				run := func() {
					k.MultiplyPacked(&FloatProduct{C: c, LDC: n, A: a, Depth: depth, MHi: rows, NHi: n, Steps: e}, b, make([]float32, k.NR*depth))
				}
				if i == len(lengths) {
					assert.NotPanics(t, run)
				} else {
					assert.Panics(t, run, "slice %d", i)
				}
			}
		})
	})
}

// BenchmarkPackHalves multiplies rows by weights of f16, bf16 and float32 that are not in the
// cache, and by others that are.
func BenchmarkPackHalves(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, s := range []struct{ depth, n int }{{2048, 8192}, {384, 384}} {
		f16, wide := randomWeights(rng, s.depth, s.n, false)
		bf16, _ := randomWeights(rng, s.depth, s.n, true)
		f16.RowStride, f16.ColStride, bf16.RowStride, bf16.ColStride, wide.RowStride, wide.ColStride = 1, s.depth, 1, s.depth, 1, s.depth
		eachKernel(b, func(name string, k *FloatKernel) {
			panel := make([]float32, k.NR*k.KC)
			for _, m := range []int{1, 2, 4, 5, 8, 32, 128} {
				a := k.PackAllA(nil, random(rng, m, s.depth), m, s.depth)
				c := make([]float32, m*s.n)
				for _, w := range []struct {
					name   string
					packed *Packed[float32]
				}{
					{"float32", k.PackAllB(nil, wide, s.n, s.depth)}, {"f16", k.PackHalves(nil, f16, false, s.n, s.depth)}, {"bf16", k.PackHalves(nil, bf16, true, s.n, s.depth)},
				} {
					b.Run(fmt.Sprintf("%dx%dx%d/%s/%s", m, s.depth, s.n, name, w.name), func(b *testing.B) {
						for b.Loop() {
							for n := 0; n < s.n; n += 256 {
								for i := range k.Blocks(s.depth) {
									k.MultiplyPacked(&FloatProduct{C: c, LDC: s.n, A: a.Block(i), Depth: s.depth, Block: i, MHi: m, NLo: n, NHi: min(n+256, s.n)}, w.packed, panel)
								}
							}
						}
						reportSpeed(b, m, s.n, s.depth)
					})
				}
			}
		})
	}
}
