package lowbit

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/memory"
)

// TestMultiplySpans compares random products with the definition: x is rounded in groups, and the
// products are exact but for the roundings of float32.
func TestMultiplySpans(t *testing.T) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX512VNNI}, {cpu.AVX512VNNI, cpu.AVX512}}) {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			if !hasSpans() {
				t.Skip("there is no assembly")
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for range 150 {
				f := Format{Bits: 4 << rng.IntN(2), Signed: rng.IntN(2) == 0}
				n, groups, group := 1+rng.IntN(100), 1, SpanRows<<rng.IntN(3)
				depth := 1 + rng.IntN(700)
				if rng.IntN(2) == 0 {
					groups = 1 + rng.IntN(5)
					depth = groups * group * (1 + rng.IntN(3))
				}
				checkSpans(t, rng, f, n, depth, groups, group, 1+rng.IntN(20))
			}
		})
	}
}

func checkSpans(t *testing.T, rng *rand.Rand, f Format, n, depth, groups, group, rows int) {
	t.Helper()
	require.True(t, SpansOf(&f, depth, groups, group))
	f.Spans = true
	l := NewLayout(f, n, depth, groups)
	src := make([]byte, (n*depth*f.Bits+7)/8)
	for i := range src {
		src[i] = byte(rng.Uint32())
	}
	scales, zeros := make([]float32, groups*n), make([]float32, groups*n)
	for i := range scales {
		scales[i], zeros[i] = rng.Float32()/16, float32(rng.IntN(1<<f.Bits))
	}
	if rng.IntN(2) == 0 {
		scales[0] = 1.0 / 3 // no f16
	}
	of := func(list []float32) *Factors {
		return l.PackFactors(nil, func(group, column int) float32 { return list[group*n+column] })
	}
	m := New(l.Pack(nil, &Source{Bytes: src, Bits: f.Bits, RowStride: 1, ColStride: depth}), of(scales), of(zeros))
	x, stride := make([]float32, rows*depth), memory.Padded[byte](l.SpansBytes())
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	if rng.IntN(3) == 0 {
		clear(x[:min(group, depth)])
	}
	rounded := memory.Bytes(rows * stride)
	for i := range rows {
		l.RoundRow(rounded[i*stride:][:l.SpansBytes()], x[i*depth:][:depth], group)
	}
	out := make([]float32, rows*n)
	cut := rng.IntN(m.Blocks() + 1)
	m.MultiplySpans(nil, out, n, rounded, stride, rows, 0, cut)
	m.MultiplySpans(nil, out, n, rounded, stride, rows, cut, m.Blocks())
	for i := range rows {
		codes, scale := make([]int, depth), make([]float64, depth)
		for at := 0; at < depth; at += group {
			end, most := min(at+group, depth), 0.0
			for _, v := range x[i*depth+at : i*depth+end] {
				most = max(most, math.Abs(float64(v)))
			}
			for k := at; k < end; k++ {
				scale[k] = float64(float32(most) / 127)
				if most > 0 {
					codes[k] = int(math.RoundToEven(float64(x[i*depth+k] * (127 / float32(most)))))
				}
			}
		}
		for j := range n {
			want, size := 0.0, 0.0
			for k := range depth {
				code, at := 0, j*depth+k
				if f.Bits == 8 {
					code = int(src[at])
				} else {
					code = int(src[at/2] >> (at % 2 * 4) & 15)
				}
				if f.Signed {
					code ^= 1 << (f.Bits - 1)
				}
				g := k * groups / depth
				product := float64(codes[k]) * scale[k] * (float64(code) - float64(zeros[g*n+j])) * float64(scales[g*n+j])
				want, size = want+product, size+math.Abs(product)
			}
			require.InDelta(t, want, out[i*n+j], 1e-6*size+1e-12, "%+v, %dx%d, %d groups, x in groups of %d, row %d of %d, column %d", f, depth, n, groups, group, i, rows, j)
		}
	}
}

// TestRoundRow compares random rows with the definition, bit for bit.
func TestRoundRow(t *testing.T) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX512VNNI, cpu.AVX512}}) {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			if !hasSpans() {
				t.Skip("there is no assembly")
			}
			rng := rand.New(rand.NewPCG(3, 4))
			for range 300 {
				group, f := SpanRows*(1+rng.IntN(5)), Format{Bits: 4 << rng.IntN(2), Spans: true}
				x := make([]float32, 1+rng.IntN(900))
				for i := range x {
					x[i] = float32(rng.NormFloat64() * math.Exp(4*rng.NormFloat64()))
				}
				for range rng.IntN(4) {
					special := []float32{0, 1e-45, -1e-36, 127, -math.MaxFloat32, float32(math.Inf(-1)), float32(math.NaN())}
					at := rng.IntN(len(x))
					for i := at; i < min(at+rng.IntN(2*group), len(x)); i++ {
						x[i] = special[rng.IntN(4)]
					}
					x[at] = special[rng.IntN(len(special))]
				}
				l := NewLayout(f, 1, len(x), 1)
				got, want := memory.Bytes(l.SpansBytes()), memory.Bytes(l.SpansBytes())
				l.RoundRow(got, x, group)
				roundRow(l, want, got, x, group)
				require.Equal(t, want, got, "%v in groups of %d", x, group)
			}
		})
	}
}

// roundRow is RoundRow by the definition. If the scale of a group is NaN, its codes may be any and
// are those of got.
func roundRow(l *Layout, dst, got []byte, x []float32, group int) {
	x = append(append([]float32(nil), x...), make([]float32, l.Padded()-len(x))...)
	order := []int{0, 1, 2, 3, 4, 5, 6, 7}
	if l.Bits == 4 {
		order = []int{0, 2, 4, 6, 1, 3, 5, 7}
	}
	for at := 0; at < len(x); at += group {
		end, most := min(at+group, len(x)), 0.0
		for _, v := range x[at:end] {
			most = max(most, math.Abs(float64(v)))
		}
		scale, inverse := float32(most)/127, 127/float32(most)
		switch {
		case math.IsNaN(most) || math.IsInf(most, 0):
			scale, inverse = float32(math.NaN()), 0
		case math.IsInf(float64(inverse), 0):
			scale, inverse = 0, 0
		}
		for span := at; span < end; span += SpanRows {
			factors, sum := len(x)+span/SpanRows*8, 0.0
			for i := range SpanRows {
				code := math.RoundToEven(float64(x[span+i/8*8+order[i%8]] * inverse))
				dst[span+i], sum = byte(int8(code)), sum+code
			}
			if scale != scale {
				copy(dst[span:span+SpanRows], got[span:])
				copy(dst[factors+4:factors+8], got[factors+4:])
			} else {
				binary.LittleEndian.PutUint32(dst[factors+4:], math.Float32bits(float32(sum)))
			}
			binary.LittleEndian.PutUint32(dst[factors:], math.Float32bits(scale))
		}
	}
}

// TestRoundRow_special has elements that cannot be rounded: the result is NaN, or as without them.
func TestRoundRow_special(t *testing.T) {
	if !hasSpans() {
		t.Skip("there is no assembly")
	}
	l := NewLayout(Format{Bits: 4, Spans: true}, 1, 64, 2)
	for _, c := range []struct {
		v    float32
		want float64
	}{{float32(math.Inf(1)), math.NaN()}, {float32(math.NaN()), math.NaN()}, {1e-45, 0}, {math.MaxFloat32, math.MaxFloat32 / 127}, {-127, 1}, {0, 0}} {
		x, dst := make([]float32, 64), memory.Bytes(l.SpansBytes())
		x[35] = c.v
		l.RoundRow(dst, x, 32)
		for span, want := range []float64{0, c.want} {
			got := float64(math.Float32frombits(uint32(dst[64+8*span]) | uint32(dst[65+8*span])<<8 | uint32(dst[66+8*span])<<16 | uint32(dst[67+8*span])<<24))
			if math.IsNaN(want) {
				assert.True(t, math.IsNaN(got), "%v: %v", c.v, got)
			} else {
				assert.InDelta(t, want, got, 1e-6*want, "%v", c.v)
			}
		}
	}
}

func TestSpansOf(t *testing.T) {
	if !hasSpans() {
		t.Skip("there is no assembly")
	}
	f := Format{Bits: 4}
	assert.True(t, SpansOf(&f, 100, 1, 32))
	assert.True(t, SpansOf(&f, 128, 2, 64))
	assert.False(t, SpansOf(&f, 128, 2, 128))
	assert.False(t, SpansOf(&f, 96, 2, 32))
	assert.False(t, SpansOf(&f, 96, 1, 16))
	assert.False(t, SpansOf(&f, 96, 1, 0))
	assert.False(t, SpansOf(&Format{Bits: 4, Table: &table}, 96, 1, 32))
	defer cpu.Disable(cpu.AVX512VNNI, cpu.AVXVNNI, cpu.DotProd)()
	assert.False(t, SpansOf(&f, 96, 1, 32))
}

// BenchmarkMultiplySpans reports the bytes of the matrix that are read.
func BenchmarkMultiplySpans(b *testing.B) {
	if !hasSpans() {
		b.Skip("there is no assembly")
	}
	for _, c := range []struct {
		f      Format
		groups int
	}{{Format{Bits: 4, Spans: true}, 16}, {Format{Bits: 8, Spans: true}, 1}} {
		m := large(c.f, 2816, 1024, c.groups)
		for _, rows := range []int{1, 2, 4, 6, 128} {
			b.Run(fmt.Sprintf("%d bits, %d rows", c.f.Bits, rows), func(b *testing.B) {
				stride := memory.Padded[byte](m.SpansBytes())
				x, rounded, out := make([]float32, 1024), memory.Bytes(rows*stride), make([]float32, rows*m.n)
				b.SetBytes(int64(len(m.Codes.data) + len(m.Scales.data) + len(m.Zeros.data)))
				for b.Loop() {
					for i := range rows {
						m.RoundRow(rounded[i*stride:][:m.SpansBytes()], x, 32)
					}
					m.MultiplySpans(nil, out, m.n, rounded, stride, rows, 0, m.Blocks())
				}
				b.ReportMetric(2*float64(rows*2816*1024)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GOP/s")
			})
		}
	}
}
