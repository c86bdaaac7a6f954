// Package extremum finds the greatest or the least elements of rows.
package extremum

// Positions sets positions[i] to the position of the first greatest element of row i of x, or of
// the first least one. A row has length elements, at least 1. NaN is skipped; the position is 0 if
// all are NaN. Positions returns false, and does nothing, if the processor has no vector code for
// it.
func Positions(positions []uint32, x []float32, length int, least bool) bool {
	return vectorPositions(positions, x, length, least)
}
