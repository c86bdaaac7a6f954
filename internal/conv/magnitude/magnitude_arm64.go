//go:build !noasm

package magnitude

import "github.com/vinoir/vinoir/internal/cpu"

// Merge sets to[i] to the largest of to[i] and the bits of the absolute values of
// from[c*step + i], for i below n and c below channels.
func Merge(to []uint32, from []float32, n, channels, step int) {
	if n < 4 || channels < 1 || !cpu.NEON.Available() {
		mergePortable(to, from, n, channels, step)
		return
	}
	// The assembly does not check bounds.
	_, _ = to[n-1], from[(channels-1)*step+n-1]
	magnitudesNEON(&to[0], &from[0], n, channels, step)
}

// Extremes returns the smallest and the largest number of list.
func Extremes(list []uint32) (least, most uint32) { return extremesPortable(list) }
