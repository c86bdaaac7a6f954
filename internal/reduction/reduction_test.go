package reduction

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

var nan = float32(math.NaN())

// reference returns the reduction of x, computed in float64.
func (f Function) reference(x []float32) float64 {
	acc := math.NaN()
	for i, v := range x {
		w := float64(f.term(v))
		switch {
		case i == 0:
			acc = w
		case f == Max:
			acc = max(acc, w)
		case f == Min:
			acc = min(acc, w)
		case f == Product:
			acc *= w
		default:
			acc += w
		}
	}
	return acc
}

func randomFloats(rng *rand.Rand, n int, special bool) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
		if special && rng.IntN(40) == 0 {
			x[i] = []float32{nan, float32(math.Inf(1)), float32(math.Inf(-1)), 0}[rng.IntN(4)]
		}
	}
	return x
}

func requireNear(t *testing.T, want float64, got float32, args ...any) {
	t.Helper()
	g := float64(got)
	if want == g || want != want && g != g {
		return
	}
	require.InDelta(t, want, g, 2e-5*(1+math.Abs(want)), args...)
}

// forEachISA runs f with all instruction sets of the machine, with AVX2 only, and with the
// portable loops.
func forEachISA(t *testing.T, f func(t *testing.T)) {
	t.Run("all", f)
	defer cpu.AVX512.Disable()()
	t.Run("AVX2", f)
	defer cpu.FMA.Disable()()
	defer cpu.AVX2.Disable()()
	t.Run("loops", f)
}

func TestReduce(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		for seed := range uint64(400) {
			checkRows(t, seed)
		}
	})
}

func FuzzReduce(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRows)
}

const guard = 1234.5

func checkRows(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	r := Rows{N: 1 + rng.IntN(90), Count: 1 + rng.IntN(5), Step: rng.IntN(100), Outputs: 1 + rng.IntN(4), InPitch: rng.IntN(150)}
	r.OutPitch = r.N + rng.IntN(3)
	f, stride := Function(rng.IntN(int(numFunctions))), 1
	reduce := f.Reduce
	if rng.IntN(2) == 0 {
		f, stride = []Function{Sum, Max}[rng.IntN(2)], 2
		reduce = f.ReduceStride2
	}
	if rng.IntN(2) == 0 {
		for range r.Outputs {
			r.Table = append(r.Table, Row{rng.IntN(60), 1 + rng.IntN(5), rng.IntN(9)})
		}
	}
	// in and scale have exactly the elements that are read.
	elements, scales := 0, 0
	for o := range r.Outputs {
		row := r.row(o)
		elements = max(elements, row.Offset+(row.Count-1)*r.Step+(r.N-1)*stride+1)
		scales = max(scales, row.ScaleOffset+r.N)
	}
	in := randomFloats(rng, elements, rng.IntN(3) == 0)
	out := make([]float32, r.Outputs*r.OutPitch+1)
	for i := range out {
		out[i] = guard
	}
	var scale []float32
	if rng.IntN(2) == 0 {
		scale = randomFloats(rng, scales, false)
	}
	reduce(out, in, scale, r)
	for o := range r.Outputs {
		for i := range r.OutPitch {
			got := out[o*r.OutPitch+i]
			if i >= r.N {
				require.Equal(t, float32(guard), got)
				continue
			}
			var x []float32
			row := r.row(o)
			for k := range row.Count {
				x = append(x, in[row.Offset+k*r.Step+i*stride])
			}
			want := f.reference(x)
			if scale != nil {
				want *= float64(scale[row.ScaleOffset+i])
			}
			requireNear(t, want, got, "function %d, %+v, stride %d, output %d, element %d", f, r, stride, o, i)
		}
	}
	require.Equal(t, float32(guard), out[len(out)-1])
}

func TestReduceSegments(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		for seed := range uint64(400) {
			checkSegments(t, seed)
		}
	})
}

func FuzzReduceSegments(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkSegments)
}

func checkSegments(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	f := Function(rng.IntN(int(numFunctions)))
	n, count, step := 1+rng.IntN(150), 1+rng.IntN(5), rng.IntN(160)
	in := randomFloats(rng, (count-1)*step+n, rng.IntN(3) == 0)
	out := make([]float32, count+1)
	out[count] = guard
	f.ReduceSegments(out[:count], in, n, step)
	for o := range count {
		requireNear(t, f.reference(in[o*step:][:n]), out[o], "function %d of %d elements, segment %d of %d at %d", f, n, o, count, step)
	}
	require.Equal(t, float32(guard), out[count])
}

func TestNormalize(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 3))
		for n := 1; n < 150; n++ {
			if !CanNormalize(n) {
				continue
			}
			segments := 1 + rng.IntN(4)
			in := randomFloats(rng, segments*n, false)
			epsInside, epsOutside := []float32{0.1, 0}[n%2], []float32{0.2, 0, 0.3}[n%3]
			if n%6 == 1 {
				epsInside = 0.1 // a segment of one element has no deviation
			}
			out := make([]float32, segments*n+1)
			out[segments*n] = guard
			Normalize(out, in, n, epsInside, epsOutside)
			for o := range segments {
				x := in[o*n : (o+1)*n]
				mean, variance := Sum.reference(x)/float64(n), 0.0
				for _, v := range x {
					variance += (float64(v) - mean) * (float64(v) - mean) / float64(n)
				}
				for i, v := range x {
					want := (float64(v) - mean) / (math.Sqrt(variance+float64(epsInside)) + float64(epsOutside))
					requireNear(t, want, out[o*n+i], "segment %d of %d elements, element %d", o, n, i)
				}
			}
			require.Equal(t, float32(guard), out[segments*n])
			Normalize(in, in, n, epsInside, epsOutside)
			require.Equal(t, out[:segments*n], in)
		}
	})
	require.False(t, CanNormalize(0))
	require.False(t, CanNormalize(maxNormalize+1))
}

func TestDivideByNorms(t *testing.T) {
	forEachISA(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 6))
		for n := 1; n < 150; n++ {
			if !CanNormalize(n) {
				continue
			}
			segments := 2 + rng.IntN(3)
			in := randomFloats(rng, segments*n, false)
			clear(in[:n])
			eps, least := []float32{0.25, 0}[n%2], []float32{-1, 0.125, 9}[n%3]
			out := make([]float32, segments*n+1)
			out[segments*n] = guard
			DivideByNorms(out, in, n, eps, least)
			for o := range segments {
				x := in[o*n : (o+1)*n]
				norm := math.Sqrt(max(SumSquares.reference(x)+float64(eps), float64(least)))
				for i, v := range x {
					if norm == 0 {
						require.True(t, math.IsNaN(float64(out[o*n+i])))
						continue
					}
					requireNear(t, float64(v)/norm, out[o*n+i], "segment %d of %d elements, element %d", o, n, i)
				}
			}
			require.Equal(t, float32(guard), out[segments*n])
			in[n-1] = nan
			DivideByNorms(in, in, n, eps, least)
			require.Equal(t, out[n:segments*n], in[n:])
			for _, v := range in[:n] {
				require.True(t, math.IsNaN(float64(v)))
			}
		}
	})
}

func TestEmpty(t *testing.T) {
	out := []float32{guard}
	Sum.Reduce(out, nil, nil, Rows{Count: 1, Outputs: 1})
	Sum.Reduce(out, nil, nil, Rows{N: 1, Table: []Row{{}}})
	Max.ReduceStride2(out, nil, nil, Rows{N: 1, Count: 1})
	Sum.ReduceSegments(nil, nil, 1, 1)
	require.Equal(t, []float32{guard}, out)
}

func TestShort(t *testing.T) {
	x := make([]float32, 20)
	require.Panics(t, func() { Max.Reduce(x, x[:19], nil, Rows{N: 10, Count: 2, Step: 10, Outputs: 1}) })
	require.Panics(t, func() { Max.Reduce(x[:9], x, nil, Rows{N: 10, Count: 2, Step: 10, Outputs: 1}) })
	require.Panics(t, func() { Max.Reduce(x, x, x[:9], Rows{N: 10, Count: 2, Step: 10, Outputs: 1}) })
	require.Panics(t, func() { Max.Reduce(x, x, nil, Rows{N: 1, Outputs: 2, Table: []Row{{0, 1, 0}, {20, 1, 0}}}) })
	require.Panics(t, func() { Max.Reduce(x, x, nil, Rows{N: 1, Outputs: 2, Table: []Row{{0, 1, 0}}}) })
	require.Panics(t, func() { Max.Reduce(x, x, nil, Rows{N: 1, Outputs: 1}) })
	require.Panics(t, func() { Sum.ReduceSegments(x[:2], x[:19], 10, 10) })
}

func BenchmarkReduce(b *testing.B) {
	in, out := make([]float32, 64*3136), make([]float32, 3136)
	b.SetBytes(4 * 64 * 3136)
	for b.Loop() {
		Sum.Reduce(out, in, nil, Rows{N: 3136, Count: 64, Step: 3136, Outputs: 1})
	}
}

func BenchmarkReduceSegments(b *testing.B) {
	in, out := make([]float32, 197*768), make([]float32, 197)
	b.SetBytes(4 * 197 * 768)
	for b.Loop() {
		Sum.ReduceSegments(out, in, 768, 768)
	}
}
