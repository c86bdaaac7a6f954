//go:build !noasm

package conv

import "github.com/vinoir/vinoir/internal/cpu"

// quadsVectors sets quad i of to to element i of each of the rows, with flip by exclusive or. It returns false if
// there is no assembly, or if the rows are too short.
func quadsVectors(to []float32, rows *[4][]uint8, flip uint32) bool {
	n := len(to)
	if n < 16 || !cpu.NEON.Available() {
		return false
	}
	for _, row := range rows {
		_ = row[n-1] // the assembly does not check bounds
	}
	quadsNEON(&to[0], &rows[0][0], &rows[1][0], &rows[2][0], &rows[3][0], n&^15, flip)
	if last := n - 16; n%16 > 0 {
		quadsNEON(&to[last], &rows[0][last], &rows[1][last], &rows[2][last], &rows[3][last], 16, flip)
	}
	return true
}

func wordsVectors(_ []float32, _, _ []uint8, _ uint16) int { return 0 }

// flipVectors is flipQuads by assembly. It returns the number of quads that it has combined.
func flipVectors(quads []float32, flip uint32) int {
	n := len(quads) &^ 15
	if n == 0 || !cpu.NEON.Available() {
		return 0
	}
	flipNEON(&quads[0], n, flip)
	return n
}
