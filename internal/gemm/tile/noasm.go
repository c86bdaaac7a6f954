//go:build noasm || (!amd64 && !arm64)

package tile

// NewFloat32 returns the tiling for float32: the portable one.
func NewFloat32() Tiling { return NewPortable() }

// EndsInFew reports whether a micro-kernel whose vectors are columns computes the last columns of
// c: there is none.
func (t *Tiling) EndsInFew(_ int, _ bool) bool { return false }

// multiplyTiles is never called: only kernels in assembly use it.
func multiplyTiles(_ *Tiling, _ *Block[float32]) {}

// HasAMX reports whether there are kernels for tiles of AMX.
func HasAMX() bool { return false }

// HasHalfSums reports whether there is assembly for NewHalves.
func HasHalfSums() bool { return false }

func multiplyHalfTiles(_ *Tiling, _ *Block[float32]) { panic("BUG: no assembly") }

// HasPairs reports whether there is a kernel for pairs of bf16, or of f16, that is faster than that
// for float32.
func HasPairs(_ bool) bool { return false }

// QuadsPay reports whether convolutions of quads are faster than those of float32.
func QuadsPay() bool { return false }

// HasLevels reports whether MultiplyQuads computes Quads.Levels in registers.
func HasLevels() bool { return false }

func quadsTiling() (Tiling, bool) { return Tiling{}, false }

func multiplyQuads(_ *Tiling, _ *Block[float32], _ bool, _ *Quads) {
	panic("BUG: no assembly")
}

// HasHalves reports whether products with matrices of PackHalves are as fast as those of float32.
// Without assembly, the conversion takes longer than what it saves.
func HasHalves() bool { return false }

// MaxHalfRows is the number of rows that MultiplyHalfBlock multiplies.
const MaxHalfRows = 0

// MultiplyHalfBlock does nothing: there is no assembly.
func (k *Tiling) MultiplyHalfBlock(block *Block[float32], _ []uint16, _ bool) int { return block.NLo }
