//go:build !noasm

package pack

import "github.com/vinoir/vinoir/internal/cpu"

// quadVectors is QuadRows by assembly. It returns the number of quads that it has set.
func quadVectors(dst []Quad, rows *[4][]uint8, zero uint8, size int) int {
	n := len(dst)
	if size == 2 || n < 16 || !cpu.NEON.Available() {
		return 0
	}
	for _, row := range rows {
		_ = row[n-1] // the assembly does not check bounds
	}
	quadRowsNEON((*float32)(&dst[0]), &rows[0][0], &rows[1][0], &rows[2][0], &rows[3][0], n&^15, Flips(zero))
	if last := n - 16; n%16 > 0 {
		quadRowsNEON((*float32)(&dst[last]), &rows[0][last], &rows[1][last], &rows[2][last], &rows[3][last], 16, Flips(zero))
	}
	return n
}

// flipVectors is FlipQuads by assembly. It returns the number of quads that it has combined.
func flipVectors(quads []Quad, flip uint32) int {
	n := len(quads) &^ 15
	if n == 0 || !cpu.NEON.Available() {
		return 0
	}
	flipNEON((*float32)(&quads[0]), n, flip)
	return n
}

func hasQuadPanels() bool { return false }

func quadPanelVectors(_ []Quad, _ []uint8, _, _, _ int) { panic("BUG: no assembly") }

// HasWords reports whether there is a kernel for pairs of i16 that is faster than that for float32.
func HasWords() bool { return false }

// QuadSize returns the number of elements of the depth that a quad holds.
func QuadSize() int { return 4 }

// QuadZero returns what is subtracted from the bytes of b: SDOT multiplies signed bytes.
func QuadZero() uint8 {
	if cpu.DotProd.Available() {
		return 128
	}
	return 0
}
