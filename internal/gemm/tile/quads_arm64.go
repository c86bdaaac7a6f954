//go:build !noasm

package tile

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// QuadsPay reports whether convolutions of quads are faster than those of float32.
func QuadsPay() bool { return cpu.DotProd.Available() }

// HasLevels reports whether products of quads compute HSwish, SlopeRows and ToLevels in registers.
func HasLevels() bool { return false }

// quadsTiling returns the tiling of NewQuads; false if there is no assembly. _neon/gen.go has the
// same numbers of rows and columns.
func quadsTiling() (Tiling, bool) {
	return Tiling{MR: 8, NR: 12, KC: 256, ISA: NEON, Operands: Bytes}, cpu.DotProd.Available()
}

// quadsTile is the argument of the micro-kernels of quads. _neon/quads.go depends on its layout.
type quadsTile struct {
	a, b        *pack.Quad
	c           *float32 // sums or results
	stepC       int      // bytes from one row of c to the next
	bytes       *uint8   // results as bytes
	stepBytes   int
	depth       int
	start       *int32   // of each row; nil adds nothing
	scale, bias *float32 // of each row; nil adds no bias
	flags       uint64
	lo, hi      float32
	limits      [8]uint8 // lo and hi of results as bytes
	tiles       int      // below each other, for tiles of all rows of a panel
}

// The bits of quadsTile.flags, as in _neon/quads.go.
const (
	quadsAdd   = 1 << iota // start with the sums in c
	quadsLast              // the block is the last one: write results
	quadsClamp             // clamp the results
	quadsBytes             // write them as bytes
)

// multiplyQuads multiplies a block of quads by assembly.
func multiplyQuads(k *Tiling, p *Product[pack.Quad, float32]) {
	c, ldc, a, b, d, add := p.C, p.LDC, p.A, p.B, k.Depth(p.Block, p.Depth), p.Block > 0
	mLo, mHi, nLo, nHi := p.MLo, p.MHi, p.NLo, p.NHi
	// The assembly does not check bounds.
	_, _ = a[(mHi+k.MR-1)/k.MR*k.MR*d-1], b[(nHi+k.NR-1)/k.NR*k.NR*d-1]
	f, last := p.fuse(k)
	bytes := last && p.Bytes != nil
	if add || !bytes {
		_ = c[(mHi-1)*ldc+nHi-1]
	}
	t := quadsTile{depth: d}
	if p.Start != nil {
		_ = p.Start[mHi-1]
	}
	if last {
		_ = f.scale[mHi-1]
		t.finish(&f, bytes)
	}
	if bytes {
		_ = p.Bytes[(mHi-1)*p.BytesStride+nHi-1]
	}
	if add {
		t.flags |= quadsAdd
	}
	for n := nLo; n < nHi; n += k.NR {
		columns := min(k.NR, nHi-n)
		t.b = &b[n*d]
		for m := mLo; m < mHi; {
			row := m % k.MR // a panel with fewer rows has several tiles
			rows := quadRows(min(k.MR-row, mHi-m))
			if t.tiles = 1; rows == k.MR && columns%4 == 0 {
				t.tiles = (mHi - m) / k.MR
			}
			t.a = &a[(m-row)*d+row]
			if p.Start != nil {
				t.start = &p.Start[m]
			}
			if last {
				t.scale = &f.scale[m]
				if f.rowBias != nil {
					t.bias = &f.rowBias[m]
				}
			}
			to := quadsOutput{ldc: ldc, stride: p.BytesStride}
			if add || !bytes {
				to.c = c[m*ldc+n:]
			}
			if bytes {
				to.bytes = p.Bytes[m*p.BytesStride+n:]
			}
			if columns%4 == 0 {
				t.stepC, t.stepBytes = 4*to.ldc, to.stride
				if to.c != nil {
					t.c = &to.c[0]
				}
				if to.bytes != nil {
					t.bytes = &to.bytes[0]
				}
				t.run(rows, columns/4)
			} else {
				t.multiplyEdge(&to, rows, columns)
			}
			m += rows * t.tiles
		}
	}
}

// finish sets the fields for the results of the last block.
func (t *quadsTile) finish(f *fused, bytes bool) {
	t.flags |= quadsLast
	t.lo, t.hi = f.lo, f.hi
	if !bytes {
		if f.clamp {
			t.flags |= quadsClamp
		}
		return
	}
	t.flags |= quadsBytes
	for i, limit := range []float32{f.lo, f.hi} {
		t.limits[i] = uint8(math.RoundToEven(float64(limit)))
	}
	if t.limits != [8]uint8{0, 255} {
		t.flags |= quadsClamp
	}
}

// quadRows returns the number of rows of the next tile if some rows are left: the largest size that
// they fill.
func quadRows(left int) int {
	for rows := 8; rows > 1; rows /= 2 {
		if rows <= left {
			return rows
		}
	}
	return 1
}

// quadsOutput is where a tile is written: to bytes if that is not nil, else to c, which also has
// the sums to start with.
type quadsOutput struct {
	c      []float32
	ldc    int
	bytes  []uint8
	stride int
}

// multiplyEdge computes a tile whose last vector is partly in the output, in memory of its own. The
// tile is a copy: that memory would escape to the heap with a pointer to it in the tile of the
// caller.
func (t quadsTile) multiplyEdge(to *quadsOutput, rows, columns int) {
	var edge [8 * 12]float32
	var edgeBytes [8 * 12]uint8
	const width = 12
	t.c, t.stepC, t.bytes, t.stepBytes = &edge[0], 4*width, &edgeBytes[0], width
	if t.flags&quadsAdd != 0 {
		for i := range rows {
			copy(edge[i*width:][:columns], to.c[i*to.ldc:])
		}
	}
	t.run(rows, (columns+3)/4)
	for i := range rows {
		if to.bytes != nil {
			copy(to.bytes[i*to.stride:][:columns], edgeBytes[i*width:])
		} else {
			copy(to.c[i*to.ldc:][:columns], edge[i*width:])
		}
	}
}

// run runs the micro-kernel for a number of rows and of vectors of four columns. With a table of
// functions, the tile would escape to the heap.
func (t *quadsTile) run(rows, vectors int) {
	p := (*byte)(unsafe.Pointer(t))
	switch vectors<<4 | rows {
	case 1<<4 | 1:
		quadsNEON_1x4(p)
	case 1<<4 | 2:
		quadsNEON_2x4(p)
	case 1<<4 | 4:
		quadsNEON_4x4(p)
	case 1<<4 | 8:
		quadsNEON_8x4(p)
	case 2<<4 | 1:
		quadsNEON_1x8(p)
	case 2<<4 | 2:
		quadsNEON_2x8(p)
	case 2<<4 | 4:
		quadsNEON_4x8(p)
	case 2<<4 | 8:
		quadsNEON_8x8(p)
	case 3<<4 | 1:
		quadsNEON_1x12(p)
	case 3<<4 | 2:
		quadsNEON_2x12(p)
	case 3<<4 | 4:
		quadsNEON_4x12(p)
	case 3<<4 | 8:
		quadsNEON_8x12(p)
	}
}
