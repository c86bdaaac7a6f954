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

// randomQuads returns a matrix of random bytes, the smallest and the largest ones among them, with
// depth quads in a row. Quads of i16 have elements of least to least+255.
func randomQuads(rng *rand.Rand, rows, columns, least int) Matrix[Quad] {
	m := Matrix[Quad]{make([]Quad, rows*columns), columns, 1}
	size := pack.QuadSize()
	for i := range m.Data {
		quad := uint32(0)
		for range size {
			v := rng.UintN(256)
			if n := rng.IntN(6); n < 4 {
				v = []uint{0, 127, 128, 255}[n]
			}
			if size == 2 {
				quad = quad<<16 | uint32(uint16(int(v)+least))
			} else {
				quad = quad<<8 | uint32(v)
			}
		}
		m.Data[i] = pack.QuadOf(quad)
	}
	return m
}

// TestMultiplyQuads compares with the definition, bit by bit, with and without assembly.
func TestMultiplyQuads(t *testing.T) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AMX}, {cpu.AMX, cpu.AVX512VNNI}, {cpu.AMX, cpu.AVX512VNNI, cpu.AVXVNNI}, {cpu.AMX, cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512}, {cpu.AMX, cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512, cpu.FMA, cpu.DotProd}}) {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			rng := rand.New(rand.NewPCG(1, 2))
			for range 400 {
				checkQuads(t, rng, 1+rng.IntN(40), 1+rng.IntN(30), 1+rng.IntN(80))
			}
			checkQuads(t, rng, 12, 16448, 33)
		})
	}
}

func checkQuads(t *testing.T, rng *rand.Rand, m, depth, n int) {
	t.Helper()
	checkQuadsOf(t, rng, NewQuads(), m, depth, n)
}

func checkQuadsOf(t *testing.T, rng *rand.Rand, k *QuadKernel, m, depth, n int) {
	t.Helper()
	if rng.IntN(2) == 0 {
		k.KC = 1 + rng.IntN(depth)
	}
	if tile.HasAMX() && rng.IntN(2) == 0 {
		k.Fit(depth)
	}
	a, b := randomQuads(rng, m, depth, -128), randomQuads(rng, depth, n, -rng.IntN(256))
	q := Integers{Flip: uint8(rng.UintN(256))}
	random := func(least, most float32) []float32 {
		x := make([]float32, m)
		for i := range x {
			x[i] = least + rng.Float32()*(most-least)
		}
		return x
	}
	steps := []Step{{Op: ScaleRows, Values: random(0, 1./4096)}}
	if pack.QuadSize()+int(pack.QuadZero()) != 4 && rng.IntN(2) == 0 { // i8 or i16
		for range m {
			q.Start = append(q.Start, rng.Int32N(1<<20)-1<<19)
		}
	}
	if rng.IntN(2) == 0 {
		steps = append(steps, Step{Op: AddRows, Values: random(0, 1)})
	}
	ldc := n + rng.IntN(3)
	all := make([]float32, (m-1)*ldc+n+2)
	for i := range all {
		all[i] = guard
	}
	c := all[1 : len(all)-1]
	pa, pb := k.PackAllA(nil, a, m, depth), k.PackAllB(nil, b, n, depth)
	if k.IgnoresFlip() {
		for i, quad := range pb.panels {
			pb.panels[i] = pack.QuadOf(pack.Bits(quad) ^ pack.Flips(q.Flip))
		}
	}
	var bytes []uint8
	switch {
	case rng.IntN(2) == 0:
		bytes = make([]uint8, len(all))
		for i := range bytes {
			bytes[i] = guard
		}
		q.Bytes, q.BytesStride = bytes[1:len(bytes)-1], ldc
		lo, hi := float32(rng.IntN(20)), float32(100+rng.IntN(156))
		if (tile.HasLevels() || k.ISA == tile.Portable) && rng.IntN(2) == 0 {
			steps = append(steps, []Step{{Op: Clamp, Lo: -1, Hi: 6}, {Op: HSwish}, {Op: SlopeRows, Values: random(-0.25, 0.75)}}[rng.IntN(3)])
			steps = append(steps, Step{Op: ToLevels, Values: random(20, 40), Shift: random(0, 50), Hi: hi})
		} else {
			steps = append(steps, Step{Op: Clamp, Lo: lo, Hi: hi})
		}
		if k.Blocks(depth) == 1 {
			c = nil
		}
	case rng.IntN(2) == 0:
		steps = append(steps, Step{Op: Clamp, Lo: -1, Hi: 2})
	}
	for i := range k.Blocks(depth) {
		cut := m / k.MR / 2 * k.MR
		k.Multiply(&Product[Quad, float32]{C: c, LDC: ldc, A: pa.Block(i), B: pb.Block(i), Depth: depth, Block: i, MHi: cut, NHi: n, Steps: steps, Integers: q})
		k.Multiply(&Product[Quad, float32]{C: c, LDC: ldc, A: pa.Block(i), B: pb.Block(i), Depth: depth, Block: i, MLo: cut, MHi: m, NHi: n, Steps: steps, Integers: q})
	}
	for i := range m {
		for j := range min(ldc, len(all)-2-i*ldc) {
			want, got := float32(guard), all[1+i*ldc+j]
			if bytes != nil {
				got = float32(bytes[1+i*ldc+j])
			}
			if j < n {
				want = quadsElement(a, b, depth, i, j, &q, steps)
			}
			require.Equal(t, want, got, "%dx%dx%d, row %d, column %d", m, depth, n, i, j)
		}
	}
	require.Equal(t, []float32{guard, guard}, []float32{all[0], all[len(all)-1]})
}

// quadsElement computes an element of c.
func quadsElement(a, b Matrix[Quad], depth, i, j int, q *Integers, steps []Step) float32 {
	sum := 0
	for p := range depth {
		x, y := pack.Bits(a.Data[i*a.RowStride+p]), pack.Bits(b.Data[p*b.RowStride+j])
		if pack.QuadSize() == 2 {
			sum += int(int16(x))*int(int16(y)) + int(int16(x>>16))*int(int16(y>>16))
			continue
		}
		for shift := 0; shift < 32; shift += 8 {
			v := int(uint8(y>>shift) ^ q.Flip)
			if pack.QuadZero() > 0 {
				v = int(int8(y >> shift))
			}
			sum += int(int8(x>>shift)) * v
		}
	}
	if q.Start != nil {
		sum += int(q.Start[i])
	}
	v := float32(int32(sum))
	for _, s := range steps {
		switch s.Op {
		case ScaleRows:
			v = float32(v * s.Values[i])
		case AddRows:
			v += s.Values[i]
		case Clamp:
			v = min(max(v, s.Lo), s.Hi)
		case HSwish:
			v *= float32(min(max(v+3, 0), 6) * float32(1./6))
		case SlopeRows:
			if v < 0 {
				v *= s.Values[i]
			}
		case ToLevels:
			v = min(max(float32(v*s.Values[i])+s.Shift[i], 0), s.Hi)
		}
	}
	if q.Bytes != nil {
		return float32(math.RoundToEven(float64(v)))
	}
	return v
}

// TestBounds_quads gives slices that are one element too short.
func TestBounds_quads(t *testing.T) {
	if !tile.QuadsPay() {
		t.Skip("there is no assembly")
	}
	k := NewQuads()
	const depth = 5
	m, n := k.MR, k.NR
	run := func(a, b, c, scale int) {
		k.Multiply(&Product[Quad, float32]{C: make([]float32, m*n)[:c], LDC: n, A: make([]Quad, m*depth)[:a], B: make([]Quad, n*depth)[:b], Depth: depth, MHi: m, NHi: n,
			Steps: []Step{{Op: ScaleRows, Values: make([]float32, m)[:scale]}}})
	}
	assert.NotPanics(t, func() { run(m*depth, n*depth, m*n, m) })
	assert.Panics(t, func() { run(m*depth-1, n*depth, m*n, m) })
	assert.Panics(t, func() { run(m*depth, n*depth-1, m*n, m) })
	assert.Panics(t, func() { run(m*depth, n*depth, m*n-1, m) })
	assert.Panics(t, func() { run(m*depth, n*depth, m*n, m-1) })
	bytes := func(length int) {
		k.Multiply(&Product[Quad, float32]{A: make([]Quad, m*depth), B: make([]Quad, n*depth), Depth: depth, MHi: m, NHi: n,
			Steps: []Step{{Op: ScaleRows, Values: make([]float32, m)}, {Op: Clamp, Hi: 255}}, Integers: Integers{Bytes: make([]uint8, m*n)[:length], BytesStride: n}})
	}
	assert.NotPanics(t, func() { bytes(m * n) })
	assert.Panics(t, func() { bytes(m*n - 1) })
}

// BenchmarkQuads reports the number of multiplications and additions of packed panels.
func BenchmarkQuads(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, s := range []struct{ m, depth, n int }{{256, 256, 256}, {64, 144, 512}, {512, 1152, 49}} {
		b.Run(fmt.Sprintf("%dx%dx%d", s.m, pack.QuadSize()*s.depth, s.n), func(b *testing.B) {
			k := NewQuads()
			x := k.PackAllA(nil, randomQuads(rng, s.m, s.depth, -128), s.m, s.depth)
			y := k.PackAllB(nil, randomQuads(rng, s.depth, s.n, 0), s.n, s.depth)
			c, steps := make([]float32, s.m*s.n), []Step{{Op: ScaleRows, Values: make([]float32, s.m)}}
			for b.Loop() {
				for i := range k.Blocks(s.depth) {
					k.Multiply(&Product[Quad, float32]{C: c, LDC: s.n, A: x.Block(i), B: y.Block(i), Depth: s.depth, Block: i, MHi: s.m, NHi: s.n, Steps: steps})
				}
			}
			b.ReportMetric(2*float64(pack.QuadSize()*s.m*s.depth*s.n)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GOP/s")
		})
	}
}
