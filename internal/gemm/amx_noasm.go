//go:build !amd64 || noasm

package gemm

func hasAMX() bool { return false }

func flipVectors(_ []float32, _ uint32) int { return 0 }
