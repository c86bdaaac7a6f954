//go:build !amd64 || noasm

package gemm

func multiplyQuads(_ *Kernel[float32], _ []float32, _ int, _, _ []float32, _ int, _, _ bool, _, _, _, _ int, _ *Quads) {
	panic("BUG: no assembly")
}
