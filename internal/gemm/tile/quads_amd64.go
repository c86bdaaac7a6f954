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

// HasLevels reports whether products of quads compute HSwish, SlopeRows and ToLevels in registers.
func HasLevels() bool { return cpu.AVX512VNNI.Available() }

// quadsTiling returns the tiling of NewQuads; false if there is no assembly.
func quadsTiling() (Tiling, bool) {
	switch {
	case HasAMX():
		return Tiling{MR: AMXMR, NR: AMXNR, KC: 256, ISA: AMX, Operands: Bytes}, true
	case cpu.AVX512VNNI.Available():
		return Tiling{MR: avx512MR, NR: avx512NR, KC: 256, ISA: AVX512, Operands: Bytes}, true
	case cpu.AVXVNNI.Available():
		return Tiling{MR: 6, NR: 16, KC: 384, ISA: AVXVNNI, Operands: Bytes}, true
	}
	return Tiling{MR: 6, NR: 16, KC: 384, ISA: AVX2, Operands: Words}, pack.HasWords()
}

// startQuads is start for quads. The results of the last block become levels if bytes is true and
// there are such steps.
func (t *tile) startQuads(add, bytes bool, f *fused) {
	t.start(add, f)
	if bytes && f.levelScale != nil {
		t.levelMax = f.levelMax
		if f.hSwish {
			t.flags |= flagHSwish
		}
	}
}

// multiplyQuads multiplies a block of quads by assembly.
func multiplyQuads(k *Tiling, p *Product[pack.Quad, float32]) {
	c, ldc, a, b, d, add := p.C, p.LDC, p.A, p.B, k.Depth(p.Block, p.Depth), p.Block > 0
	mLo, mHi, nLo, nHi := p.MLo, p.MHi, p.NLo, p.NHi
	// The assembly does not check bounds.
	_, _ = a[(mHi+k.MR-1)/k.MR*k.MR*d-1], b[(nHi+k.NR-1)/k.NR*k.NR*d-1]
	f, last := p.fuse(k)
	bytes := last && p.Bytes != nil
	inC := add || !bytes // otherwise c is not used
	if inC {
		_ = c[(mHi-1)*ldc+nHi-1]
	}
	if bytes {
		_ = p.Bytes[(mHi-1)*p.BytesStride+nHi-1]
	}
	if last {
		_ = f.scale[mHi-1]
		if p.Start != nil {
			_ = p.Start[mHi-1]
		}
	}
	t := tile{depth: d, flip: pack.Flips(p.Flip)}
	t.startQuads(add, bytes, &f)
	if k.ISA == AMX {
		multiplyAMX(t, amxBSUD, p, inC, &f, last)
		return
	}
	var edge [6 * 16]float32 // a tile of AVX2 or AVX-VNNI
	for n := nLo; n < nHi; n += k.NR {
		columns := min(k.NR, nHi-n)
		few := k.few(columns) // last columns, for the micro-kernels whose vectors are columns
		groups := t.setQuadColumns(k, columns-few)
		// AVX2 writes whole vectors of bytes, and parts of vectors of float32.
		part := bytes && t.flags&flagPartial > 0
		t.b = unsafe.Pointer(&b[n*d])
		t.ahead = t.b // already in the cache
		for m := mLo; m < mHi; {
			row := m % k.MR // a panel with fewer rows has several tiles
			rows := k.quadRows(min(k.MR-row, mHi-m))
			t.a = unsafe.Pointer(&a[(m-row)*d+row])
			tiles := 1
			if k.ISA == AVX2 && rows == k.MR && bytes && !part {
				// in one call, which takes as long as a few steps of the depth
				tiles = (mHi - m) / rows
			}
			t.tiles = tiles
			results, step := edge[:], 16
			if inC {
				results, step = c[m*ldc+n:], ldc
			}
			t.c, t.ldc = unsafe.Pointer(&results[0]), 4*step
			if bytes && !part {
				t.bytes, t.stepBytes = &p.Bytes[m*p.BytesStride+n], p.BytesStride
				if !add {
					// is only prefetched
					t.c, t.ldc = unsafe.Pointer(t.bytes), t.stepBytes
				}
			}
			if last {
				t.rowScale, t.rowBias, t.levelScale, t.levelShift, t.levelSlope = f.rowsFrom(m)
				if p.Start != nil {
					t.rowStart = &p.Start[m]
				}
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
					to := p.Bytes[(m+i)*p.BytesStride+n:][:columns]
					for j, v := range results[i*step:][:columns] {
						to[j] = uint8(math.RoundToEven(float64(v)))
					}
				}
			}
			m += rows * tiles
		}
	}
}

// rowsFrom returns the numbers of rows m and below; nil where there is no step. A function that set
// them in a tile would let what they point to escape to the heap.
func (f *fused) rowsFrom(m int) (scale, bias, levelScale, levelShift, slope *float32) {
	scale = &f.scale[m]
	if f.rowBias != nil {
		bias = &f.rowBias[m]
	}
	if f.levelScale != nil {
		levelScale, levelShift = &f.levelScale[m], &f.levelShift[m]
		if f.slope != nil {
			slope = &f.slope[m]
		}
	}
	return scale, bias, levelScale, levelShift, slope
}

// finishQuads applies steps to sums of AMX: the micro-kernels of AVX-512 do it, for products
// without a depth. t has the limits.
func (t tile) finishQuads(f *fused, p *Integers, s *amxSums) {
	if !cpu.AVX512VNNI.Available() {
		for i := range s.rows {
			for j, sum := range s.data[i*s.step:][:s.columns] {
				v := f.result(int32(math.Float32bits(sum)), s.m+i)
				if p.Bytes != nil {
					p.Bytes[(s.m+i)*p.BytesStride+s.n+j] = uint8(math.RoundToEven(float64(v)))
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
		t.c = unsafe.Pointer(&s.data[i*s.step])
		t.a, t.b, t.ahead = t.c, t.c, t.c // are only prefetched
		if p.Bytes != nil {
			t.bytes, t.stepBytes = &p.Bytes[(s.m+i)*p.BytesStride+s.n], p.BytesStride
		}
		t.rowScale, t.rowBias, t.levelScale, t.levelShift, t.levelSlope = f.rowsFrom(s.m + i)
		if p.Start != nil {
			t.rowStart = &p.Start[s.m+i]
		}
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
	if left >= k.MR || k.Operands == Words {
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
