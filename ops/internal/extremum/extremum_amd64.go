//go:build !noasm

package extremum

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../extremum_amd64.s -stubs ../stubs_amd64.go -pkg extremum"

func vectorPositions(positions []uint32, x []float32, length int, least bool) bool {
	if !cpu.AVX2.Available() {
		return false
	}
	rows := len(positions)
	if rows == 0 {
		return true
	}
	p, d := &positions[0], &x[:rows*length][0]
	// Calls through a variable would move positions to the heap.
	switch wide := cpu.AVX512.Available(); {
	case wide && least:
		leastOf512(p, d, length, rows)
	case wide:
		greatestOf512(p, d, length, rows)
	case least:
		leastOf2(p, d, length, rows)
	default:
		greatestOf2(p, d, length, rows)
	}
	return true
}
