//go:build amd64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../kernel_amd64.s -stubs ../kernel_stubs_amd64.go -pkg gemm"

// The panels of the assembly: rows and columns as in _asm/gen.go, and a depth at
// which a panel of b and one of a lie in the first-level cache.
func newFloat32[T Number]() *Kernel[T] {
	switch {
	case cpu.AVX512.Available():
		return &Kernel[T]{MR: 12, NR: 32, KC: 384, isa: avx512}
	case cpu.FMA.Available():
		return &Kernel[T]{MR: 6, NR: 16, KC: 384, isa: avx2}
	}
	return newPortable[T]()
}

// tile multiplies a panel of a by one of b into a tile of c: the assembly has its own
// loop over tiles.
func (k *Kernel[T]) tile(depth int, a, b, c []T, ldc int, add bool) {
	tilePortable(depth, a, b, c, ldc, add)
}

// run runs the micro-kernel of a number of rows, and of one vector or two.
func (i isa) run(t *tile, rows int, wide bool) {
	p := (*byte)(unsafe.Pointer(t))
	if i == avx512 {
		runAVX512(p, rows, wide)
	} else {
		runAVX2(p, rows, wide)
	}
}

func runAVX512(t *byte, rows int, wide bool) {
	if wide {
		switch rows {
		case 1:
			tileAVX512_1x32(t)
		case 2:
			tileAVX512_2x32(t)
		case 3:
			tileAVX512_3x32(t)
		case 4:
			tileAVX512_4x32(t)
		case 5:
			tileAVX512_5x32(t)
		case 6:
			tileAVX512_6x32(t)
		case 7:
			tileAVX512_7x32(t)
		case 8:
			tileAVX512_8x32(t)
		case 9:
			tileAVX512_9x32(t)
		case 10:
			tileAVX512_10x32(t)
		case 11:
			tileAVX512_11x32(t)
		case 12:
			tileAVX512_12x32(t)
		}
		return
	}
	switch rows {
	case 1:
		tileAVX512_1x16(t)
	case 2:
		tileAVX512_2x16(t)
	case 3:
		tileAVX512_3x16(t)
	case 4:
		tileAVX512_4x16(t)
	case 5:
		tileAVX512_5x16(t)
	case 6:
		tileAVX512_6x16(t)
	case 7:
		tileAVX512_7x16(t)
	case 8:
		tileAVX512_8x16(t)
	case 9:
		tileAVX512_9x16(t)
	case 10:
		tileAVX512_10x16(t)
	case 11:
		tileAVX512_11x16(t)
	case 12:
		tileAVX512_12x16(t)
	}
}

func runAVX2(t *byte, rows int, wide bool) {
	if wide {
		switch rows {
		case 1:
			tileAVX2_1x16(t)
		case 2:
			tileAVX2_2x16(t)
		case 3:
			tileAVX2_3x16(t)
		case 4:
			tileAVX2_4x16(t)
		case 5:
			tileAVX2_5x16(t)
		case 6:
			tileAVX2_6x16(t)
		}
		return
	}
	switch rows {
	case 1:
		tileAVX2_1x8(t)
	case 2:
		tileAVX2_2x8(t)
	case 3:
		tileAVX2_3x8(t)
	case 4:
		tileAVX2_4x8(t)
	case 5:
		tileAVX2_5x8(t)
	case 6:
		tileAVX2_6x8(t)
	}
}

// rowFloat32 is Row for float32; false where the machine has no code for it.
func rowFloat32(c, a []float32, b Matrix[float32], lo, hi int) bool {
	if !cpu.FMA.Available() {
		return false
	}
	if b.ColStride != 1 {
		for j := lo; j < hi; j++ {
			line := b.Data[j*b.ColStride:][:len(a)]
			c[j] = dotAVX2(&a[0], &line[0], len(a))
		}
		return true
	}
	out := c[lo:hi]
	clear(out)
	for p := 0; p < len(a); {
		// The assembly checks nothing.
		rows := b.Data[lo+p*b.RowStride:]
		if len(a)-p >= 4 {
			_ = rows[3*b.RowStride+len(out)-1]
			addRows4(&out[0], &a[p], &rows[0], b.RowStride, len(out))
			p += 4
			continue
		}
		_ = rows[len(out)-1]
		addRows1(&out[0], &a[p], &rows[0], b.RowStride, len(out))
		p++
	}
	return true
}
