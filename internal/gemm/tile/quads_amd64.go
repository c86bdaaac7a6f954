//go:build amd64 && !noasm

package tile

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

// QuadsPay reports whether convolutions of quads are faster than those of float32.
func QuadsPay() bool { return pack.HasVNNI() || pack.HasWords() }

// HasLevels reports whether MultiplyQuads computes Quads.Levels in registers.
func HasLevels() bool { return cpu.AVX512VNNI.Available() }

// quadsTiling returns the tiling of NewQuads; false if there is no assembly.
func quadsTiling() (Tiling, bool) {
	switch {
	case HasAMX():
		return Tiling{MR: AMXMR, NR: AMXNR, KC: 256, ISA: AMXQuads}, true
	case cpu.AVX512VNNI.Available():
		return Tiling{MR: avx512MR, NR: avx512NR, KC: 256, ISA: AVX512}, true
	case cpu.AVXVNNI.Available():
		return Tiling{MR: 6, NR: 16, KC: 384, ISA: AVXVNNI}, true
	case pack.HasWords():
		return NewWords(), true
	}
	return Tiling{}, false
}

// vnniFewColumns is the largest number of columns that have a micro-kernel whose vectors are
// columns. It takes half a cycle for each step of the depth and column, where a vector of columns
// takes six, but more for each row that it writes.
const vnniFewColumns = 4

// multiplyQuads is MultiplyQuads by assembly, for a block of depth d. It adds to c if add is true.
// last reports whether it is the last block.
func multiplyQuads(k *Tiling, block *Block[float32], last bool, q *Quads) {
	c, ldc, a, b, d, add := block.C, block.LDC, block.A, block.B, block.Depth, block.Add
	mLo, mHi, nLo, nHi := block.MLo, block.MHi, block.NLo, block.NHi
	// The assembly does not check bounds.
	_, _ = a[(mHi+k.MR-1)/k.MR*k.MR*d-1], b[(nHi+k.NR-1)/k.NR*k.NR*d-1]
	bytes := last && q.Bytes != nil
	inC := add || !bytes // otherwise c is not used
	if inC {
		_ = c[(mHi-1)*ldc+nHi-1]
	}
	t := tile{depth: d, flip: q.Flips()}
	if add {
		t.flags = flagAdd
	}
	if bytes {
		_ = q.Bytes[(mHi-1)*q.BytesStride+nHi-1]
	}
	e := &q.Epilogue
	if last {
		_ = q.Scale[mHi-1]
		if e.RowBias != nil {
			_ = e.RowBias[mHi-1]
		}
		if q.Start != nil {
			_ = q.Start[mHi-1]
		}
		if e.Clamp || bytes && q.Levels == nil {
			t.flags |= flagClamp
			t.lo, t.hi = e.Lo, e.Hi
		}
		if bytes && q.Levels != nil {
			_, _ = q.Levels.Scale[mHi-1], q.Levels.Shift[mHi-1]
			t.levelMax = q.Levels.Max
			if q.Levels.Slope != nil {
				_ = q.Levels.Slope[mHi-1]
			}
			if q.Levels.HSwish {
				t.flags |= flagHSwish
			}
		}
	}
	if k.ISA == AMXQuads {
		if !last {
			q = nil
		}
		t.multiplyAMX(amxBSUD, block, inC, q, nil)
		return
	}
	var edge [6 * 16]float32 // a tile of AVX2 or AVX-VNNI
	for n := nLo; n < nHi; n += k.NR {
		columns := min(k.NR, nHi-n)
		few := k.fewQuads(columns) // last columns, for the micro-kernels whose vectors are columns
		groups := t.setQuadColumns(k, columns-few)
		// AVX2 writes whole vectors of bytes, and parts of vectors of float32.
		part := bytes && t.flags&flagPartial > 0
		t.b = &b[n*d]
		t.ahead = t.b // already in the cache
		for m := mLo; m < mHi; {
			row := m % k.MR // a panel with fewer rows has several tiles
			rows := k.quadRows(min(k.MR-row, mHi-m))
			t.a = &a[(m-row)*d+row]
			tiles := 1
			if k.ISA == Words && rows == k.MR && bytes && !part {
				// in one call, which takes as long as a few steps of the depth
				tiles = (mHi - m) / rows
			}
			t.tiles = tiles
			results, step := edge[:], 16
			if inC {
				results, step = c[m*ldc+n:], ldc
			}
			t.c, t.ldc = &results[0], 4*step
			if bytes && !part {
				t.bytes, t.stepBytes = &q.Bytes[m*q.BytesStride+n], q.BytesStride
				if !add {
					// is only prefetched
					t.c, t.ldc = (*float32)(unsafe.Pointer(t.bytes)), t.stepBytes
				}
			}
			if last {
				t.setQuadRow(q, m)
			}
			switch p := (*byte)(unsafe.Pointer(&t)); k.ISA {
			case AVX512:
				runVNNI(p, rows, groups) // does nothing without groups
				if few > 0 {
					right := t.right(columns - few)
					right.rows = rows
					runColumnsVNNI((*byte)(unsafe.Pointer(&right)), few)
				}
			case AVXVNNI:
				runAVXVNNI(p, rows, groups)
			default:
				runWords(p, rows, groups)
			}
			if part {
				for i := range rows {
					to := q.Bytes[(m+i)*q.BytesStride+n:][:columns]
					for j, v := range results[i*step:][:columns] {
						to[j] = uint8(math.RoundToEven(float64(v)))
					}
				}
			}
			m += rows * tiles
		}
	}
}

// fewQuads is few for quads.
func (t *Tiling) fewQuads(columns int) int {
	if n := columns % 16; t.ISA == AVX512 && n <= vnniFewColumns {
		return n
	}
	return 0
}

// setQuadRow sets the fields for what is done to the sums of rows m and below.
func (t *tile) setQuadRow(q *Quads, m int) {
	t.rowScale = &q.Scale[m]
	if q.Epilogue.RowBias != nil {
		t.rowBias = &q.Epilogue.RowBias[m]
	}
	if q.Start != nil {
		t.rowStart = &q.Start[m]
	}
	if q.Levels != nil {
		t.levelScale, t.levelShift = &q.Levels.Scale[m], &q.Levels.Shift[m]
		if q.Levels.Slope != nil {
			t.levelSlope = &q.Levels.Slope[m]
		}
	}
}

// finishQuads does what q asks for to sums of AMX: the micro-kernels of AVX-512 do it, for products
// without a depth. t has the limits.
func (t tile) finishQuads(q *Quads, s *amxSums) {
	if !cpu.AVX512VNNI.Available() {
		for i := range s.rows {
			for j, sum := range s.data[i*s.step:][:s.columns] {
				v := q.finish(int32(math.Float32bits(sum)), s.m+i)
				if q.Bytes != nil {
					q.Bytes[(s.m+i)*q.BytesStride+s.n+j] = uint8(math.RoundToEven(float64(v)))
				}
				s.data[i*s.step+j] = v
			}
		}
		return
	}
	t.depth, t.ldc = 0, 4*s.step
	t.flags |= flagAdd
	groups := t.setSixteens(s.columns)
	for i := 0; i < s.rows; {
		rows := vnniRows(s.rows - i)
		t.c = &s.data[i*s.step]
		t.a, t.b, t.ahead = t.c, t.c, t.c // are only prefetched
		if q.Bytes != nil {
			t.bytes, t.stepBytes = &q.Bytes[(s.m+i)*q.BytesStride+s.n], q.BytesStride
		}
		t.setQuadRow(q, s.m+i)
		runVNNI((*byte)(unsafe.Pointer(&t)), rows, groups)
		i += rows
	}
}

// setQuadColumns sets the fields for the columns of the last vector that are written, and returns
// the number of groups of columns of the micro-kernel: of 16 with AVX-512, otherwise of 8.
func (t *tile) setQuadColumns(k *Tiling, columns int) int {
	if k.ISA == AVX512 {
		return t.setSixteens(columns)
	}
	t.bytes = nil
	return t.setColumns(columns, k.NR/8)
}

// setSixteens is setColumns for micro-kernels of AVX-512 whose columns are groups of 16.
func (t *tile) setSixteens(columns int) int {
	t.columns = 1<<((columns-1)%16+1) - 1
	return (columns + 15) / 16
}

// quadRows returns the number of rows of the next tile if some rows are left: the largest size that
// they fill.
func (k *Tiling) quadRows(left int) int {
	if left >= k.MR || k.ISA == Words {
		return min(left, k.MR)
	}
	return vnniRows(left)
}

// vnniRows is quadRows for AVX-512 VNNI, and for AVX-VNNI if less than MR are left.
func vnniRows(left int) int {
	if left >= avx512MR {
		return avx512MR
	}
	for rows := 8; rows > 1; rows /= 2 {
		if rows <= left {
			return rows
		}
	}
	return 1
}
