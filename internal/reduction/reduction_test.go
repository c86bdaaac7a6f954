package reduction

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
)

var nan = float32(math.NaN())

// element is what f makes of elements, in float64.
func (f Function) element(x []float32) float64 {
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

func numbers(rng *rand.Rand, n int, special bool) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
		if special && rng.IntN(40) == 0 {
			x[i] = []float32{nan, float32(math.Inf(1)), float32(math.Inf(-1)), 0}[rng.IntN(4)]
		}
	}
	return x
}

func near(t *testing.T, want float64, got float32, args ...any) {
	t.Helper()
	g := float64(got)
	if want == g || want != want && g != g {
		return
	}
	require.InDelta(t, want, g, 2e-5*(1+math.Abs(want)), args...)
}

// sets runs f with all instruction sets of the machine, with AVX2, and with none.
func sets(t *testing.T, f func(t *testing.T)) {
	t.Run("all", f)
	defer cpu.AVX512.Disable()()
	t.Run("AVX2", f)
	defer cpu.FMA.Disable()()
	defer cpu.AVX2.Disable()()
	t.Run("loops", f)
}

func TestRows(t *testing.T) {
	sets(t, func(t *testing.T) {
		for seed := range uint64(400) {
			checkRows(t, seed)
		}
	})
}

func FuzzRows(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRows)
}

const guard = 1234.5

func checkRows(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	r := Rows{N: 1 + rng.IntN(90), Count: 1 + rng.IntN(5), Step: rng.IntN(100), Outs: 1 + rng.IntN(4), InPitch: rng.IntN(150)}
	r.OutPitch = r.N + rng.IntN(3)
	f, stride := Function(rng.IntN(int(numFunctions))), 1
	join := f.Join
	if rng.IntN(2) == 0 {
		f, stride = []Function{Sum, Max}[rng.IntN(2)], 2
		join = f.Pairs
	}
	if rng.IntN(2) == 0 {
		for range r.Outs {
			r.Table = append(r.Table, Row{rng.IntN(60), 1 + rng.IntN(5), rng.IntN(9)})
		}
	}
	// Not an element more than is read.
	elements, scales := 0, 0
	for o := range r.Outs {
		row := r.row(o)
		elements = max(elements, row.At+(row.Count-1)*r.Step+(r.N-1)*stride+1)
		scales = max(scales, row.Scale+r.N)
	}
	in := numbers(rng, elements, rng.IntN(3) == 0)
	out := make([]float32, r.Outs*r.OutPitch+1)
	for i := range out {
		out[i] = guard
	}
	var scale []float32
	if rng.IntN(2) == 0 {
		scale = numbers(rng, scales, false)
	}
	join(out, in, scale, r)
	for o := range r.Outs {
		for i := range r.OutPitch {
			got := out[o*r.OutPitch+i]
			if i >= r.N {
				require.Equal(t, float32(guard), got)
				continue
			}
			var x []float32
			row := r.row(o)
			for k := range row.Count {
				x = append(x, in[row.At+k*r.Step+i*stride])
			}
			want := f.element(x)
			if scale != nil {
				want *= float64(scale[row.Scale+i])
			}
			near(t, want, got, "function %d, %+v, stride %d, output %d, element %d", f, r, stride, o, i)
		}
	}
	require.Equal(t, float32(guard), out[len(out)-1])
}

func TestLines(t *testing.T) {
	sets(t, func(t *testing.T) {
		for seed := range uint64(400) {
			checkLines(t, seed)
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkLines)
}

func checkLines(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	f := Function(rng.IntN(int(numFunctions)))
	n, count, step := 1+rng.IntN(150), 1+rng.IntN(5), rng.IntN(160)
	in := numbers(rng, (count-1)*step+n, rng.IntN(3) == 0)
	out := make([]float32, count+1)
	out[count] = guard
	f.Lines(out[:count], in, n, step)
	for o := range count {
		near(t, f.element(in[o*step:][:n]), out[o], "function %d of %d elements, line %d of %d at %d", f, n, o, count, step)
	}
	require.Equal(t, float32(guard), out[count])
}

func TestNormalize(t *testing.T) {
	sets(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(1, 3))
		for n := 1; n < 150; n++ {
			if !Normalizes(n) {
				continue
			}
			lines := 1 + rng.IntN(4)
			in := numbers(rng, lines*n, false)
			inside, outside := []float32{0.1, 0}[n%2], []float32{0.2, 0, 0.3}[n%3]
			if n%6 == 1 {
				inside = 0.1 // a line of one element has no deviation
			}
			out := make([]float32, lines*n+1)
			out[lines*n] = guard
			Normalize(out, in, n, inside, outside)
			for o := range lines {
				x := in[o*n : (o+1)*n]
				mean, variance := Sum.element(x)/float64(n), 0.0
				for _, v := range x {
					variance += (float64(v) - mean) * (float64(v) - mean) / float64(n)
				}
				for i, v := range x {
					want := (float64(v) - mean) / (math.Sqrt(variance+float64(inside)) + float64(outside))
					near(t, want, out[o*n+i], "line %d of %d elements, element %d", o, n, i)
				}
			}
			require.Equal(t, float32(guard), out[lines*n])
			Normalize(in, in, n, inside, outside)
			require.Equal(t, out[:lines*n], in)
		}
	})
	require.False(t, Normalizes(0))
	require.False(t, Normalizes(maxLine+1))
}

func TestEmpty(t *testing.T) {
	out := []float32{guard}
	Sum.Join(out, nil, nil, Rows{Count: 1, Outs: 1})
	Sum.Join(out, nil, nil, Rows{N: 1, Table: []Row{{}}})
	Max.Pairs(out, nil, nil, Rows{N: 1, Count: 1})
	Sum.Lines(nil, nil, 1, 1)
	require.Equal(t, []float32{guard}, out)
}

func TestShort(t *testing.T) {
	x := make([]float32, 20)
	require.Panics(t, func() { Max.Join(x, x[:19], nil, Rows{N: 10, Count: 2, Step: 10, Outs: 1}) })
	require.Panics(t, func() { Max.Join(x[:9], x, nil, Rows{N: 10, Count: 2, Step: 10, Outs: 1}) })
	require.Panics(t, func() { Max.Join(x, x, x[:9], Rows{N: 10, Count: 2, Step: 10, Outs: 1}) })
	require.Panics(t, func() { Max.Join(x, x, nil, Rows{N: 1, Outs: 2, Table: []Row{{0, 1, 0}, {20, 1, 0}}}) })
	require.Panics(t, func() { Max.Join(x, x, nil, Rows{N: 1, Outs: 2, Table: []Row{{0, 1, 0}}}) })
	require.Panics(t, func() { Max.Join(x, x, nil, Rows{N: 1, Outs: 1}) })
	require.Panics(t, func() { Sum.Lines(x[:2], x[:19], 10, 10) })
}

func BenchmarkRows(b *testing.B) {
	in, out := make([]float32, 64*3136), make([]float32, 3136)
	b.SetBytes(4 * 64 * 3136)
	for b.Loop() {
		Sum.Join(out, in, nil, Rows{N: 3136, Count: 64, Step: 3136, Outs: 1})
	}
}

func BenchmarkLines(b *testing.B) {
	in, out := make([]float32, 197*768), make([]float32, 197)
	b.SetBytes(4 * 197 * 768)
	for b.Loop() {
		Sum.Lines(out, in, 768, 768)
	}
}
