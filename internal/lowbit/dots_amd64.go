//go:build amd64 && !noasm

package lowbit

import "github.com/vinoir/vinoir/internal/cpu"

func hasSpans() bool { return cpu.AVX512VNNI.Available() }

// spanTiles are the numbers of rows that the assembly multiplies at a time, besides one.
var spanTiles = [...]int{maxSpanTile, 4, 2}

// spanColumns returns the number of columns that a call of the assembly multiplies by a number of rows.
func spanColumns(int) int { return Columns }

// runSpans calls the assembly for a number of rows.
func (m *Matrix) runSpans(p *byte, rows int) {
	switch {
	case m.Bits == 8 && rows == 1:
		spansBytes_1(p)
	case m.Bits == 8 && rows == 2:
		spansBytes_2(p)
	case m.Bits == 8 && rows == 4:
		spansBytes_4(p)
	case m.Bits == 8:
		spansBytes_6(p)
	case rows == 1:
		spansNibbles_1(p)
	case rows == 2:
		spansNibbles_2(p)
	case rows == 4:
		spansNibbles_4(p)
	default:
		spansNibbles_6(p)
	}
}
