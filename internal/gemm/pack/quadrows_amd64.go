//go:build amd64 && !noasm

package pack

import "github.com/vinoir/vinoir/internal/cpu"

// quadVectors is QuadRows by assembly. It returns the number of quads that it has set.
func quadVectors(dst []Quad, rows *[4][]uint8, zero uint8, size int) int {
	n := len(dst)
	wide := size == 4 && cpu.AVX512.Available()
	if !wide {
		n &^= 15
	}
	if n == 0 || !cpu.AVX2.Available() {
		return 0
	}
	for _, row := range rows[:size] {
		_ = row[n-1] // the assembly does not check bounds
	}
	switch {
	case wide:
		quads512((*float32)(&dst[0]), &rows[0][0], &rows[1][0], &rows[2][0], &rows[3][0], n, Flips(zero))
	case size == 2:
		wordRows((*float32)(&dst[0]), &rows[0][0], &rows[1][0], n, uint16(zero))
	default:
		byteRows((*float32)(&dst[0]), &rows[0][0], &rows[1][0], &rows[2][0], &rows[3][0], n, Flips(zero))
	}
	return n
}

// flipVectors is FlipQuads by assembly. It returns the number of quads that it has combined.
func flipVectors(quads []Quad, flip uint32) int {
	n := len(quads) &^ 7
	if n == 0 || !cpu.AVX2.Available() {
		return 0
	}
	flipAVX2((*float32)(&quads[0]), n, flip)
	return n
}

func hasQuadPanels() bool { return cpu.AVX512.Available() }

// quadPanelVectors is QuadPanel for whole quads of rows.
func quadPanelVectors(panel []Quad, src []uint8, stride, quads, columns int) {
	if quads == 0 {
		return
	}
	// The assembly does not check bounds.
	_, _ = panel[quads*PanelQuads-1], src[(4*quads-1)*stride+columns-1]
	quadPanel512((*float32)(&panel[0]), &src[0], stride, quads, columns)
}

// HasWords reports whether there is a kernel for pairs of i16 that is faster than that for float32:
// with AVX2 alone, since AVX-512 without VNNI multiplies float32 as fast.
func HasWords() bool {
	return cpu.FMA.Available() && !cpu.AVX512.Available() && !HasVNNI()
}

// HasVNNI reports whether there are kernels for bytes.
func HasVNNI() bool { return cpu.AVX512VNNI.Available() || cpu.AVXVNNI.Available() }

// QuadSize returns the number of elements of the depth that a quad holds: 4 bytes, or 2 i16.
func QuadSize() int {
	if HasWords() {
		return 2
	}
	return 4
}

// QuadZero returns what is subtracted from the bytes of b.
func QuadZero() uint8 { return 0 }
