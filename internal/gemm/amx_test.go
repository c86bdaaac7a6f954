//go:build amd64 && !noasm

package gemm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/gemm/tile"
)

// logAMX says what computes tiles in a test.
func logAMX(t *testing.T) {
	t.Helper()
	if cpu.AMX.Available() {
		t.Log("tiles of AMX")
	} else {
		t.Log("portable tiles: the processor has no AMX")
	}
}

func newAMX[E ~float32](o tile.Operands, kc int) *Kernel[E, float32] {
	return &Kernel[E, float32]{Tiling{MR: tile.AMXMR, NR: tile.AMXNR, KC: kc, ISA: tile.AMX, Operands: o}}
}

// TestAMX_quads and the tests below use the layouts and tiles of AMX on all processors. Without
// AMX, what the instructions do is computed in Go.
func TestAMX_quads(t *testing.T) {
	logAMX(t)
	if pack.HasWords() {
		defer cpu.FMA.Disable()() // then QuadSize is 4
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range [][3]int{{32, 16, 32}, {64, 48, 16}, {33, 36, 17}, {1, 1, 1}, {100, 25, 70}, {17, 64, 15}, {300, 20, 33}, {40, 37, 48}} {
		for range 6 {
			checkQuadsOf(t, rng, newAMX[Quad](tile.Bytes, 256), s[0], s[1], s[2])
		}
	}
	for range 60 {
		checkQuadsOf(t, rng, newAMX[Quad](tile.Bytes, 256), 1+rng.IntN(100), 1+rng.IntN(60), 1+rng.IntN(80))
	}
}

func TestAMX_pairs(t *testing.T) {
	logAMX(t)
	checkPairs(t, func() *PairKernel { return newAMX[Pair](tile.BF16, 384) })
}

func TestAMX_halves(t *testing.T) {
	logAMX(t)
	checkPairs(t, func() *PairKernel { return newAMX[Pair](tile.F16, 384) })
}

func TestAMX_bytes(t *testing.T) {
	logAMX(t)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, s := range []struct{ rows, depth, n int }{{1, 4, 1}, {8, 64, 32}, {33, 144, 40}, {70, 52, 64}, {130, 92, 31}} {
		b := Matrix[int8]{make([]int8, s.n*s.depth), 1, s.depth}
		for i := range b.Data {
			b.Data[i] = int8(rng.IntN(256) - 128)
		}
		stride, ldc := s.depth+rng.IntN(3), s.n+rng.IntN(3)
		a := make([]uint8, (s.rows-1)*stride+s.depth)
		for i := range a {
			a[i] = uint8(rng.IntN(256))
		}
		m := PackBytes(nil, b, s.n, s.depth)
		scale, offset := make([]float32, m.Panels()*BytesColumns), make([]float32, m.Panels()*BytesColumns)
		for j := range scale {
			scale[j], offset[j] = rng.Float32()/1024, rng.Float32()
		}
		got, want := make([]float32, s.rows*ldc), make([]float32, s.rows*ldc)
		for p := range m.Panels() {
			first := p * BytesColumns
			panel := bytesPanel{m.panels[first*m.depth:][:BytesColumns*m.depth], m.sums[first:][:BytesColumns], min(BytesColumns, m.n-first),
				scale[first:][:BytesColumns], offset[first:][:BytesColumns]}
			panel.multiplyAMX(got[first:], ldc, a, stride, s.rows)
			panel.multiplyPortable(want[first:], ldc, a, stride, s.rows)
		}
		for i := range want {
			require.InDelta(t, want[i], got[i], 1e-6*(1+math.Abs(float64(want[i]))), "%+v, element %d", s, i)
		}
	}
}

// TestTileA checks where PackA puts the elements of a panel.
func TestTileA(t *testing.T) {
	for _, tiling := range []Tiling{newAMX[Quad](tile.Bytes, 256).Tiling, New().Tiling, {MR: 4, NR: 2, KC: 256}} {
		k := &FloatKernel{tiling}
		for _, depth := range []int{1, 7, 16, 36, 64} {
			m := k.MR + 3
			a, packed := make([]float32, m*depth), make([]float32, k.PackedLenA(m, depth))
			for i := range a {
				a[i] = float32(i + 1)
			}
			k.PackA(packed, Matrix[float32]{Data: a, RowStride: depth, ColStride: 1}, m, depth, 0, 0, k.PanelsA(m))
			tile := k.TileA(depth)
			for l := range m {
				for p := range depth {
					require.Equal(t, a[l*depth+p], packed[l/k.MR*k.MR*depth+p/tile*tile*k.MR+l%k.MR*tile+p%tile], "%v, line %d, element %d of %d", k, l, p, depth)
				}
			}
		}
	}
}

// TestFit checks that a kernel keeps AMX exactly if its tiles have some depth, or if there is no
// other one.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		depth int
		amx   bool
	}{{16, true}, {3, false}, {4, true}, {17, false}, {144, true}, {46, false}, {256 + 32, true}, {256 + 17, false}, {0, true}} {
		quads, pairs, halves := newAMX[Quad](tile.Bytes, 256), newAMX[Pair](tile.BF16, 256), newAMX[Pair](tile.F16, 256)
		halves.Fit(c.depth)
		assert.Equal(t, "amx_f16 32x32", halves.String())
		assert.Equal(t, c.amx, halves.Pays(c.depth), "%d", c.depth)
		quads.Fit(c.depth)
		pairs.Fit(c.depth)
		want := [2]string{"amx_i8 32x32", "amx_bf16 32x32"}
		if !c.amx {
			want = [2]string{"avx512_i8 12x32", "avx512_bf16 12x32"}
		}
		assert.Equal(t, want, [2]string{quads.String(), pairs.String()}, "%d", c.depth)
		assert.True(t, quads.Pays(c.depth) && pairs.Pays(c.depth), "%d", c.depth)
		assert.Equal(t, 256, quads.KC)
	}
}
