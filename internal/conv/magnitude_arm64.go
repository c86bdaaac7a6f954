//go:build !noasm

package conv

import "github.com/vinoir/vinoir/internal/cpu"

// magnitudes sets to[i] to the largest of to[i] and the bits of the absolute values of
// from[c*step + i], for i below n and c below channels.
func magnitudes(to []uint32, from []float32, n, channels, step int) {
	if n < 4 || channels < 1 || !cpu.NEON.Available() {
		magnitudesPortable(to, from, n, channels, step)
		return
	}
	// The assembly does not check bounds.
	_, _ = to[n-1], from[(channels-1)*step+n-1]
	magnitudesNEON(&to[0], &from[0], n, channels, step)
}

func extremes(list []uint32) (least, most uint32) { return extremesPortable(list) }
