//go:build !noasm

package tile

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// HasF16Sums reports whether there is assembly for NewF16Sums.
func HasF16Sums() bool { return cpu.FP16.Available() }

// pairsTiling returns the tiling for pairs of f16 or bf16; false if there is no assembly.
func pairsTiling(f16 bool) (Tiling, bool) { return NewF16Sums(), HasPairs(f16) }

// f16SumsMR and f16SumsNR are the rows and columns of a tile. _neon has the same numbers.
const f16SumsMR, f16SumsNR = 8, 24

// halvesTile is the argument of the micro-kernels of pairs of f16. _neon/halves.go depends on its
// layout.
type halvesTile struct {
	a, b                *pack.Pair
	c                   *float32
	depth               int
	stepC               int      // bytes from one row of c to the next
	rowBias, columnBias *float32 // nil adds nothing
	flags               uint64
	lo, hi              float32
}

// The bits of halvesTile.flags, as in _neon/halves.go.
const (
	halvesAdd    = 1 << iota // add what c held
	halvesFinish             // add the biases and clamp at the end
	halvesClamp              // clamp to lo and hi
)

// multiplyF16Sums multiplies a block of pairs of f16 by assembly.
func multiplyF16Sums(k *Tiling, p *Product[pack.Pair, float32]) {
	c, ldc, a, b, d := p.C, p.LDC, p.A, p.B, k.Depth(p.Block, p.Depth)
	mLo, mHi, nLo, nHi := p.MLo, p.MHi, p.NLo, p.NHi
	// The assembly does not check bounds.
	_, _, _ = a[(mHi+k.MR-1)/k.MR*k.MR*d-1], b[(nHi+k.NR-1)/k.NR*k.NR*d-1], c[(mHi-1)*ldc+nHi-1]
	t := halvesTile{depth: d, stepC: 4 * ldc}
	f, last := p.fuse(k)
	if p.Block > 0 {
		t.flags = halvesAdd
	}
	if last && len(p.Steps) > 0 {
		t.flags |= halvesFinish
	}
	if f.clamp {
		t.flags |= halvesClamp
		t.lo, t.hi = f.lo, f.hi
	}
	for n := nLo; n < nHi; n += k.NR {
		columns := min(k.NR, nHi-n)
		t.b = &b[n*d]
		if f.columnBias != nil {
			t.columnBias = &f.columnBias[n]
		}
		for m := mLo; m < mHi; {
			row := m % k.MR // a panel with fewer rows has several tiles
			rows := quadRows(min(k.MR-row, mHi-m))
			t.a = &a[(m-row)*d+row]
			if f.rowBias != nil {
				t.rowBias = &f.rowBias[m]
			}
			if columns%8 == 0 {
				t.c = &c[m*ldc+n]
				t.run(rows, columns/8)
			} else {
				t.multiplyEdge(c[m*ldc+n:], ldc, f.columnBias[min(n, len(f.columnBias)):], rows, columns)
			}
			m += rows
		}
	}
}

// multiplyEdge computes a tile whose last vector is partly in c, in memory of its own. The tile is
// a copy: that memory would escape to the heap with a pointer to it in the tile of the caller.
func (t halvesTile) multiplyEdge(c []float32, ldc int, columnBias []float32, rows, columns int) {
	var edge [f16SumsMR * f16SumsNR]float32
	var bias [f16SumsNR]float32
	t.c, t.stepC = &edge[0], 4*f16SumsNR
	if t.flags&halvesAdd != 0 {
		for i := range rows {
			copy(edge[i*f16SumsNR:][:columns], c[i*ldc:])
		}
	}
	if t.columnBias != nil {
		copy(bias[:columns], columnBias)
		t.columnBias = &bias[0]
	}
	t.run(rows, (columns+7)/8)
	for i := range rows {
		copy(c[i*ldc:][:columns], edge[i*f16SumsNR:])
	}
}

// run runs the micro-kernel for a number of rows and of vectors of eight columns. With a table of
// functions, the tile would escape to the heap.
func (t *halvesTile) run(rows, vectors int) {
	p := (*byte)(unsafe.Pointer(t))
	switch vectors<<4 | rows {
	case 1<<4 | 1:
		halvesNEON_1x8(p)
	case 1<<4 | 2:
		halvesNEON_2x8(p)
	case 1<<4 | 4:
		halvesNEON_4x8(p)
	case 1<<4 | 8:
		halvesNEON_8x8(p)
	case 2<<4 | 1:
		halvesNEON_1x16(p)
	case 2<<4 | 2:
		halvesNEON_2x16(p)
	case 2<<4 | 4:
		halvesNEON_4x16(p)
	case 2<<4 | 8:
		halvesNEON_8x16(p)
	case 3<<4 | 1:
		halvesNEON_1x24(p)
	case 3<<4 | 2:
		halvesNEON_2x24(p)
	case 3<<4 | 4:
		halvesNEON_4x24(p)
	case 3<<4 | 8:
		halvesNEON_8x24(p)
	}
}
