//go:build !amd64 || noasm

package gemm

func (i isa) isSmall(_, _, _ int) bool { return false }

func multiplySmall(_ []float32, _, _ Matrix[float32], _, _, _ int) { panic("BUG: no assembly") }
