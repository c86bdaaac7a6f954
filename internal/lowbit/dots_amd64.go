//go:build amd64 && !noasm

package lowbit

import "github.com/vinoir/vinoir/internal/cpu"

func hasSpans() bool { return cpu.AVX512VNNI.Available() || cpu.AVXVNNI.Available() }

// spanTiles are the numbers of rows that the assembly multiplies at a time, besides one.
var spanTiles = [...]int{maxSpanTile, 4, 2}

// spanColumns returns the number of columns that a call of the assembly multiplies by a number of
// rows; 0 if there is no function.
func spanColumns(rows int) int {
	switch {
	case cpu.AVX512VNNI.Available():
		return Columns
	case rows == maxSpanTile:
		return 0
	case rows == 4:
		return Columns / 4
	}
	return Columns / 2
}

// roundGroups rounds groups of spans, and sets the factors of these.
func roundGroups(codes []byte, factors, x []float32, spans int, order *byte) {
	groups := len(codes) / (spans * SpanRows)
	if cpu.AVX512.Available() {
		roundGroupsAVX512(&codes[0], &factors[0], &x[0], groups, spans, order)
	} else {
		roundGroupsAVX2(&codes[0], &factors[0], &x[0], groups, spans, order)
	}
}

// runSpans calls the assembly for a number of rows.
func (m *Matrix) runSpans(p *byte, rows int) {
	if !cpu.AVX512VNNI.Available() {
		m.runSpansAVXVNNI(p, rows)
		return
	}
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

// runSpansAVXVNNI is runSpans by AVX-VNNI.
func (m *Matrix) runSpansAVXVNNI(p *byte, rows int) {
	switch {
	case m.Bits == 8 && rows == 1:
		spansAVXVNNIBytes_1(p)
	case m.Bits == 8 && rows == 2:
		spansAVXVNNIBytes_2(p)
	case m.Bits == 8:
		spansAVXVNNIBytes_4(p)
	case rows == 1:
		spansAVXVNNINibbles_1(p)
	case rows == 2:
		spansAVXVNNINibbles_2(p)
	default:
		spansAVXVNNINibbles_4(p)
	}
}
