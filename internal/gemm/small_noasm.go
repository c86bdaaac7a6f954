//go:build !amd64 || noasm

package gemm

func isSmall(_ *Tiling, _, _, _ int) bool { return false }

func multiplySmall(_ []float32, _, _ Matrix[float32], _, _, _ int) { panic("BUG: no assembly") }
