//go:build !noasm

package lowbit

import (
	"math"

	"github.com/vinoir/vinoir/internal/cpu"
)

func hasSpans() bool { return cpu.DotProd.Available() }

// spanTiles are the numbers of rows that the assembly multiplies at a time, besides one.
var spanTiles = [...]int{4, 2}

// spanColumns returns the number of columns that a call of the assembly multiplies by a number of
// rows.
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

// roundGroups rounds groups of spans, and sets the factors of these.
func roundGroups(codes []byte, factors, x []float32, spans int, order *byte) {
	for n := spans * SpanRows; len(codes) > 0; codes, factors, x = codes[n:], factors[spans*spanFactors:], x[n:] {
		scale, inverse := scaleOf(x[:n])
		roundSpans(&codes[0], &factors[0], &x[0], spans, scale, inverse, order)
	}
}

// scaleOf returns the scale of a group, and what its elements are multiplied by.
func scaleOf(x []float32) (scale, inverse float32) {
	most := uint32(0) // the bits of a magnitude compare as it does
	for _, v := range x {
		most = max(most, math.Float32bits(v)&^(1<<31))
	}
	scale = math.Float32frombits(most) / 127
	if !(scale <= math.MaxFloat32) {
		return float32(math.NaN()), 0
	}
	// all elements are next to 0
	if inverse = 127 / math.Float32frombits(most); !(inverse <= math.MaxFloat32) {
		return 0, 0
	}
	return scale, inverse
}
