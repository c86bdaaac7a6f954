// Package sorting sorts long slices in kernels: without allocation, and so that a request to stop
// ends it soon.
package sorting

import (
	"slices"

	"github.com/vinoir/vinoir/internal/parallel"
)

// Block is the number of elements up to which Sort needs no spare memory.
const Block = 1 << 12

// SpareLen returns the length of the spare memory that Sort needs for n elements.
func SpareLen(n int) int {
	if n <= Block {
		return 0
	}
	return n
}

// Sort sorts a by compare, as slices.SortFunc does; elements that compare equal end in any order.
// spare has at least SpareLen(len(a)) elements; its content is lost. If the work must stop, Sort
// returns early and leaves some permutation or mixture of elements in a.
func Sort[T any](stop parallel.Stop, a, spare []T, compare func(a, b T) int) {
	meter := stop.Meter()
	for lo := 0; lo < len(a); lo += Block {
		slices.SortFunc(a[lo:min(lo+Block, len(a))], compare)
		if meter.Spent(Block * 32) {
			return
		}
	}
	if len(a) <= Block {
		return
	}
	from, to := a, spare[:len(a)]
	for width := Block; width < len(a); {
		for lo := 0; lo < len(a); {
			middle := lo + min(width, len(a)-lo)
			hi := middle + min(width, len(a)-middle)
			if !merge(&meter, to[lo:hi], from[lo:middle], from[middle:hi], compare) {
				return
			}
			lo = hi
		}
		from, to = to, from
		width += min(width, len(a)-width) // 2*width can overflow
	}
	if &from[0] != &a[0] {
		parallel.Copy(stop, a, from)
	}
}

// mergePiece is the number of elements that are merged between two checks of the meter.
const mergePiece = 1 << 12

// merge merges the sorted slices a and b into dst. It returns false if the work must stop.
func merge[T any](meter *parallel.Meter, dst, a, b []T, compare func(a, b T) int) bool {
	for len(dst) > 0 {
		if meter.Spent(mergePiece * 4) {
			return false
		}
		piece := dst[:min(mergePiece, len(dst))]
		dst = dst[len(piece):]
		for i := range piece {
			switch {
			case len(b) == 0 || len(a) > 0 && compare(a[0], b[0]) <= 0:
				piece[i], a = a[0], a[1:]
			default:
				piece[i], b = b[0], b[1:]
			}
		}
	}
	return true
}
