//go:build (!amd64 && !arm64) || noasm

package gemm

// dotsFloat32 returns false: there is no assembly for Row.
func dotsFloat32(_, _ []float32, _ Matrix[float32], _, _ int) bool { return false }

// addRowsFloat32 returns false: there is no assembly for Row.
func addRowsFloat32(_, _, _ []float32, _ int) bool { return false }
