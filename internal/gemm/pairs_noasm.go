//go:build noasm || !amd64

package gemm

// HasPairs reports whether there is a kernel for pairs of bf16.
func HasPairs() bool { return false }

func pairRowsVectors(_, _, _ []float32) bool { return false }
