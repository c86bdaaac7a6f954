//go:build noasm || (!amd64 && !arm64)

package pack

// copyVectors returns false: there is no assembly that copies.
func copyVectors[E Element](_, _ []E, _, _, _ int) bool { return false }

// transposeVectors returns 0, 0: there is no assembly that transposes.
func transposeVectors[E Element](_, _ []E, _, _, _, _ int) (lines, positions int) { return 0, 0 }
