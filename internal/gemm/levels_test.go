package gemm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// eachQuad runs test for quads of two and of four elements, with and without the assembly that
// makes them.
func eachQuad(t *testing.T, test func(t *testing.T)) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512}, {cpu.AVX2}, {cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512, cpu.FMA}, {cpu.AVX512VNNI, cpu.AVXVNNI, cpu.AVX512, cpu.FMA, cpu.AVX2}}) {
		t.Run(fmt.Sprint("without ", off), func(t *testing.T) {
			defer cpu.Disable(off...)()
			test(t)
		})
	}
}

// element returns element p of a column of quads, whose rows are ldd quads apart.
func element(quads []Quad, ldd, p int) int {
	quad := pack.Bits(quads[p/pack.QuadSize()*ldd])
	if pack.QuadSize() == 2 {
		return int(int16(quad >> (16 * (p % 2))))
	}
	return int(uint8(quad >> (8 * (p % 4))))
}

// less returns what a quad has for a byte less zero: a byte is not signed here.
func less(v, zero uint8) int {
	if pack.QuadSize() == 2 {
		return int(v) - int(zero)
	}
	return int(v - zero)
}

func TestSetQuads(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	eachQuad(t, func(t *testing.T) {
		for depth := range 70 {
			for _, zero := range []uint8{0, 128, 17}[:2+pack.QuadSize()%4/2] {
				lines, quads := rng.IntN(4), pack.QuadsOf(depth)
				src := make([]uint8, lines*depth)
				for i := range src {
					src[i] = uint8(rng.UintN(256))
				}
				dst := make([]Quad, lines*quads+1)
				for i := range dst {
					dst[i] = guard
				}
				pack.SetQuads(dst[:lines*quads], src, depth, zero)
				for i := range lines {
					for p := range quads * pack.QuadSize() {
						want := 0
						if p < depth {
							want = less(src[i*depth+p], zero)
						}
						require.Equal(t, want, element(dst[i*quads:], 1, p), "line %d, element %d of %d less %d", i, p, depth, zero)
					}
				}
				require.Equal(t, Quad(guard), dst[lines*quads])
			}
		}
	})
}

// TestQuadPanel compares panels that are packed in one pass with rows of quads.
func TestQuadPanel(t *testing.T) {
	k := NewQuads()
	if !k.PacksQuads() {
		t.Skip("SKIPPED: the processor has no AVX512_VNNI")
	}
	rng := rand.New(rand.NewPCG(9, 8))
	for rows := 1; rows < 14; rows++ {
		for columns := 1; columns <= k.NR; columns++ {
			stride := columns + rows%3
			src := make([]uint8, (rows-1)*stride+columns)
			for i := range src {
				src[i] = uint8(rng.UintN(256))
			}
			panel := make([]Quad, pack.QuadsOf(rows)*k.NR+1)
			for i := range panel {
				panel[i] = guard
			}
			k.QuadPanel(panel[:len(panel)-1], src, stride, rows, columns)
			for p := range rows {
				for j := range columns {
					require.Equal(t, int(src[p*stride+j]), element(panel[j:], k.NR, p), "row %d of %d, column %d of %d", p, rows, j, columns)
				}
			}
			require.Equal(t, Quad(guard), panel[len(panel)-1])
		}
	}
}

func TestSetQuadColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	eachQuad(t, func(t *testing.T) {
		for n := range 70 {
			for _, zero := range []uint8{0, 128, 17}[:2+pack.QuadSize()%4/2] {
				depth := 1 + rng.IntN(9)
				stride, ldd := n+rng.IntN(3), n+1
				src := make([]uint8, depth*stride)
				for i := range src {
					src[i] = uint8(rng.UintN(256))
				}
				dst := make([]Quad, pack.QuadsOf(depth)*ldd)
				for i := range dst {
					dst[i] = guard
				}
				pack.SetQuadColumns(dst, ldd, src, stride, n, depth, zero)
				for j := range n {
					for p := range pack.QuadsOf(depth) * pack.QuadSize() {
						want := 0
						if p < depth {
							want = less(src[p*stride+j], zero)
						}
						require.Equal(t, want, element(dst[j:], ldd, p), "element %d of %d, column %d of %d, less %d", p, depth, j, n, zero)
					}
				}
				for i := range pack.QuadsOf(depth) {
					require.Equal(t, Quad(guard), dst[i*ldd+n])
				}
			}
		}
	})
}

// TestFlipQuads has all lengths of the last vector, with and without assembly.
func TestFlipQuads(t *testing.T) {
	for _, off := range cpu.Distinct([][]*cpu.Feature{nil, {cpu.AVX2, cpu.NEON}}) {
		defer cpu.Disable(off...)()
		for n := range 40 {
			quads := make([]Quad, n+1)
			for i := range quads {
				quads[i] = pack.QuadOf(uint32(i) * 0x9e3779b9)
			}
			pack.FlipQuads(quads[:n], 0x80818283)
			for i, quad := range quads {
				want := uint32(i) * 0x9e3779b9
				if i < n {
					want ^= 0x80818283
				}
				require.Equal(t, want, pack.Bits(quad), "%d of %d", i, n)
			}
		}
	}
}
