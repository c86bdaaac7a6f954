package pack

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/half"
)

// PairsOf returns the number of pairs of n elements. The last pair may have a single one.
func PairsOf(n int) int { return (n + 1) / 2 }

// PairRows sets dst[i] to the pair of the bf16, or f16, nearest to first[i] and second[i]. If
// second is nil, its elements are 0. dst must not overlap the others.
func PairRows(f16 bool, dst []Pair, first, second []float32) {
	first = first[:len(dst)]
	if second != nil {
		second = second[:len(dst)]
	}
	for i := pairRowsVectors(f16, dst, first, second); i < len(dst); i++ {
		bits := RoundedBits(f16, first[i])
		if second != nil {
			bits |= RoundedBits(f16, second[i]) << 16
		}
		dst[i] = PairOf(bits)
	}
}

// HasPairPanels reports whether there is assembly for PairPanel.
func HasPairPanels() bool { return hasPairPanels() }

// PairPanel packs a panel of pairs of bf16 from rows of float32: row p of the panel has the pairs
// of rows 2*p and 2*p+1 of src, rounded as by PairRows. Rows of src are stride elements apart,
// those of the panel width. Columns from the given number on become 0; it is at most width.
// HasPairPanels must be true.
func PairPanel(panel []Pair, width int, src []float32, stride, rows, columns int) {
	pairs := rows / 2
	pairPanelVectors(width, panel, src, stride, pairs, columns)
	if rows%2 > 0 {
		last := panel[pairs*width:][:width]
		PairRows(false, last[:columns], src[(rows-1)*stride:], nil)
		clear(last[columns:])
	}
}

// PairElements sets dst, of PairsOf(len(src)) elements, to the pairs of neighbouring elements of
// src, rounded as by PairRows. A last element without a neighbour is paired with 0.
func PairElements(f16 bool, dst []Pair, src []float32) {
	if len(src) == 0 {
		return
	}
	to := cast.Bytes[uint16](cast.Memory(dst))
	switch {
	case f16:
		half.F32sToF16s(to, src)
	case !roundWordsVectors(to, src):
		half.F32sToBF16s(cast.Slice[half.BFloat16](to), src)
	}
	if len(src)%2 > 0 {
		to[len(src)] = 0
	}
}
