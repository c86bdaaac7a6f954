//go:build amd64 && !noasm

package magnitude

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../magnitude_amd64.s -stubs ../stubs_amd64.go -pkg magnitude"

// Merge sets to[i] to the largest of to[i] and the bits of the absolute values of from[c*step + i],
// for i below n and c below channels. to must have magnitudePadding more elements; they do not
// change.
func Merge(to []uint32, from []float32, n, channels, step int) {
	if n < 1 || channels < 1 {
		return
	}
	if !cpu.AVX2.Available() {
		mergePortable(to, from, n, channels, step)
		return
	}
	// The assembly does not check bounds.
	_, _ = to[n+Padding-1], from[(channels-1)*step+n-1]
	if cpu.AVX512.Available() {
		magnitudesAVX512(&to[0], &from[0], n, channels, step)
	} else {
		magnitudesAVX2(&to[0], &from[0], n, channels, step)
	}
}

// Extremes returns the smallest and the largest element of list: the largest and the smallest
// number if it is empty.
func Extremes(list []uint32) (least, most uint32) {
	n := len(list) &^ 15
	if n == 0 || !cpu.AVX2.Available() {
		return extremesPortable(list)
	}
	var lows, highs [8]uint32
	extremesAVX2(&lows, &highs, &list[0], n)
	least, most = extremesPortable(list[n:])
	for i := range lows {
		least, most = min(least, lows[i]), max(most, highs[i])
	}
	return least, most
}
