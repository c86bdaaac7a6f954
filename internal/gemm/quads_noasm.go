//go:build noasm || (!amd64 && !arm64)

package gemm

// QuadsPay reports whether convolutions of quads are faster than those of float32.
func QuadsPay() bool { return false }

// HasWords reports whether there is a kernel for pairs of i16 that is faster than that for float32.
func HasWords() bool { return false }

// HasLevels reports whether MultiplyQuads computes Quads.Levels in registers.
func HasLevels() bool { return false }

// QuadSize returns the number of elements of the depth that a quad holds.
func QuadSize() int { return 4 }

// QuadZero returns what is subtracted from the bytes of b.
func QuadZero() uint8 { return 0 }

func quadsTiling() (Tiling, bool) { return Tiling{}, false }

func multiplyQuads(_ *Kernel[float32], _ []float32, _ int, _, _ []float32, _ int, _, _ bool, _, _, _, _ int, _ *Quads) {
	panic("BUG: no assembly")
}
