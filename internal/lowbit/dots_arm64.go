//go:build !noasm

package lowbit

import "github.com/vinoir/vinoir/internal/cpu"

func hasSpans() bool { return cpu.DotProd.Available() }

// spanTiles are the numbers of rows that the assembly multiplies at a time, besides one.
var spanTiles = [...]int{4, 2}

// spanColumns returns the number of columns that a call of the assembly multiplies by a number of rows.
func spanColumns(rows int) int {
	if rows == 1 {
		return Columns / 2
	}
	return Columns / 4
}

// runSpans calls the assembly for a number of rows.
func (m *Matrix) runSpans(p *byte, rows int) {
	switch {
	case m.Bits == 8 && rows == 1:
		spansNEONBytes_1(p)
	case m.Bits == 8 && rows == 2:
		spansNEONBytes_2(p)
	case m.Bits == 8:
		spansNEONBytes_4(p)
	case rows == 1:
		spansNEONNibbles_1(p)
	case rows == 2:
		spansNEONNibbles_2(p)
	default:
		spansNEONNibbles_4(p)
	}
}
