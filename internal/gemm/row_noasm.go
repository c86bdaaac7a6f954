//go:build (!amd64 && !arm64) || noasm

package gemm

// dotsVectors returns false: there is no assembly for Row.
func dotsVectors(_, _ []float32, _ Matrix[float32], _, _ int) bool { return false }

// addRowsVectors returns false: there is no assembly for Row.
func addRowsVectors(_, _, _ []float32, _ int) bool { return false }
