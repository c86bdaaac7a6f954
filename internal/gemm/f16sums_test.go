package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/tile"
)

// randomHalves returns a matrix of pairs. Most numbers are about 1 in size; of wild ones, some are
// subnormal, infinite, NaN or large.
func randomHalves(rng *rand.Rand, rows, columns int, wild bool) Matrix[Pair] {
	k := &PairKernel{tile.NewF16Sums()}
	m := Matrix[Pair]{make([]Pair, rows*columns), columns, 1}
	number := func() float32 {
		v := float32(rng.NormFloat64())
		if wild && rng.IntN(50) == 0 {
			v = []float32{0, float32(math.Copysign(0, -1)), 1e-7, -3e-6, 65504, -200, float32(math.Inf(1)), float32(math.NaN())}[rng.IntN(8)]
		}
		return v
	}
	for i := range m.Data {
		k.PairRows(m.Data[i:i+1], []float32{number()}, []float32{number()})
	}
	return m
}

// halvesProduct is a product of pairs of f16 with all steps that it can have.
type halvesProduct struct {
	a, b        Matrix[Pair]
	m, depth, n int
	kc          int // of the blocks
	steps       []Step
}

// result returns c with an element before it and one behind it, and a gap behind each row, which
// must stay as they are.
func (p *halvesProduct) result() []float32 {
	k := &PairKernel{tile.NewF16Sums()}
	k.KC = p.kc
	ldc := p.n + 1
	c := make([]float32, p.m*ldc+1)
	for i := range c {
		c[i] = guard
	}
	a, b := k.PackAllA(nil, p.a, p.m, p.depth), k.PackAllB(nil, p.b, p.n, p.depth)
	cut := p.m / k.MR / 2 * k.MR
	for i := range k.Blocks(p.depth) {
		k.Multiply(&Product[Pair, float32]{C: c[1:], LDC: ldc, A: a.Block(i), B: b.Block(i), Depth: p.depth, Block: i, MHi: cut, NHi: p.n, Steps: p.steps})
		k.Multiply(&Product[Pair, float32]{C: c[1:], LDC: ldc, A: a.Block(i), B: b.Block(i), Depth: p.depth, Block: i, MLo: cut, MHi: p.m, NHi: p.n, Steps: p.steps})
	}
	return c
}

// TestHalves compares the assembly with its portable twin bit by bit, and both with sums in
// float64.
func TestHalves(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 150 {
		p := halvesProduct{m: 1 + rng.IntN(20), depth: 1 + rng.IntN(110), n: 1 + rng.IntN(60)}
		p.kc = 1 + rng.IntN(p.depth+40)
		wild := i%3 == 0
		p.a, p.b = randomHalves(rng, p.m, p.depth, wild), randomHalves(rng, p.depth, p.n, wild)
		p.steps = nil
		for _, step := range []Step{{Op: AddRows, Values: make([]float32, p.m)}, {Op: AddColumns, Values: make([]float32, p.n)}, {Op: Clamp, Lo: -3, Hi: 4}} {
			for i := range step.Values {
				step.Values[i] = rng.Float32()
			}
			if rng.IntN(2) == 0 {
				p.steps = append(p.steps, step)
			}
		}
		got := p.result()
		func() {
			defer cpu.FP16.Disable()()
			want := p.result()
			for at, v := range want {
				if v != v && got[at] != got[at] {
					continue // the bits of NaN can differ
				}
				require.Equal(t, math.Float32bits(v), math.Float32bits(got[at]), "%dx%dx%d, element %d: %v, expected %v", p.m, p.depth, p.n, at, got[at], v)
			}
		}()
		for at := range p.m * (p.n + 1) {
			if i, j := at/(p.n+1), at%(p.n+1); j == p.n {
				require.Equal(t, float32(guard), got[1+at], "behind row %d", i)
			} else if !wild {
				require.InDelta(t, p.exact(i, j), got[1+at], 2e-3*math.Sqrt(64*2*float64(p.depth)), "%dx%dx%d, row %d, column %d", p.m, p.depth, p.n, i, j)
			}
		}
		require.Equal(t, float32(guard), got[0])
	}
}

// exact returns an element in float64.
func (p *halvesProduct) exact(i, j int) float64 {
	sum := 0.0
	for d := range p.depth {
		a1, a2 := pairsOfBits(true, p.a.Data[i*p.depth+d])
		b1, b2 := pairsOfBits(true, p.b.Data[d*p.n+j])
		sum += a1*b1 + a2*b2
	}
	for _, s := range p.steps {
		switch s.Op {
		case AddRows:
			sum += float64(s.Values[i])
		case AddColumns:
			sum += float64(s.Values[j])
		default:
			sum = min(max(sum, float64(s.Lo)), float64(s.Hi))
		}
	}
	return sum
}

func TestFitHalves(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		data []float32 // two lines
		want bool
	}{
		{[]float32{1, -2, 0, 3}, true},
		{[]float32{0, 0, 0, 0x1p-14}, true},
		{[]float32{1, 1, 0, 0x1p-15}, false},
		{[]float32{1, 1e-9, 65504, 0}, true},
		{[]float32{1, 1, -65505, 0}, false},
		{[]float32{nan, 1, 1, 0}, false},
		{[]float32{1, nan, 1, 0}, false},
		{[]float32{1, float32(math.Inf(-1)), 1, 0}, false},
	} {
		assert.Equal(t, c.want, FitHalves(Matrix[float32]{c.data, 2, 1}, 2, 2), "%v", c.data)
		columns := []float32{c.data[0], c.data[2], c.data[1], c.data[3]}
		assert.Equal(t, c.want, FitHalves(Matrix[float32]{columns, 1, 2}, 2, 2), "columns %v", columns)
	}
}

// TestBounds_halves gives slices that are one element too short.
func TestBounds_halves(t *testing.T) {
	if !tile.HasF16Sums() {
		t.Skip("there is no assembly")
	}
	k := &PairKernel{tile.NewF16Sums()}
	const depth = 5
	m, n := k.MR, k.NR
	run := func(a, b, c, rows, columns int) {
		e := []Step{{Op: AddRows, Values: make([]float32, m)[:rows]}, {Op: AddColumns, Values: make([]float32, n)[:columns]}}
		k.Multiply(&Product[Pair, float32]{C: make([]float32, m*n)[:c], LDC: n, A: make([]Pair, m*depth)[:a], B: make([]Pair, n*depth)[:b], Depth: depth, MHi: m, NHi: n, Steps: e})
	}
	assert.NotPanics(t, func() { run(m*depth, n*depth, m*n, m, n) })
	assert.Panics(t, func() { run(m*depth-1, n*depth, m*n, m, n) })
	assert.Panics(t, func() { run(m*depth, n*depth-1, m*n, m, n) })
	assert.Panics(t, func() { run(m*depth, n*depth, m*n-1, m, n) })
	assert.Panics(t, func() { run(m*depth, n*depth, m*n, m-1, n) })
	assert.Panics(t, func() { run(m*depth, n*depth, m*n, m, n-1) })
}

func BenchmarkHalves(b *testing.B) {
	if !tile.HasF16Sums() {
		b.Skip(fmt.Sprint("the processor has no ", cpu.FP16))
	}
	const n, depth = 384, 192
	k := &PairKernel{tile.NewF16Sums()}
	packA, packB, c := make([]Pair, k.PackedLenA(n, depth)), make([]Pair, k.PackedLenB(n, depth)), make([]float32, n*n)
	for b.Loop() {
		k.Multiply(&Product[Pair, float32]{C: c, LDC: n, A: packA, B: packB, Depth: depth, MHi: n, NHi: n})
	}
	b.ReportMetric(2*2*n*n*depth*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
