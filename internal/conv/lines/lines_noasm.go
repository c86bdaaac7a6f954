//go:build !amd64 || noasm

package lines

func (l *Copy) copyVectors(_, _ []float32, _ int) bool { return false }

func interleaveVectors(_, _, _ []float32) int { return 0 }

func interleaveByteVectors(_, _, _ []uint8) int { return 0 }

// copyStrided sets to[i] to from[i*step].
func copyStrided(to, from []float32, step int) {
	for i := range to {
		to[i] = from[i*step]
	}
}
