package gemm

import (
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/gemm/tile"
)

// HasAMX reports whether there are kernels for tiles of AMX.
func HasAMX() bool { return tile.HasAMX() }

// HasPairs reports whether there is a kernel for pairs of bf16, or of f16, that is faster than that
// for float32.
func HasPairs(f16 bool) bool { return tile.HasPairs(f16) }

// HasHalves reports whether products with matrices of PackHalves are as fast as those of float32.
func HasHalves() bool { return tile.HasHalves() }

// HasWords reports whether there is a kernel for pairs of i16 that is faster than that for float32.
func HasWords() bool { return pack.HasWords() }

// HasLevels reports whether MultiplyQuads computes Quads.Levels in registers.
func HasLevels() bool { return tile.HasLevels() }

// QuadsPay reports whether convolutions of quads are faster than those of float32.
func QuadsPay() bool { return tile.QuadsPay() }

// QuadSize returns the number of elements of the depth that a quad holds: 4 bytes, or 2 i16.
func QuadSize() int { return pack.QuadSize() }

// QuadZero returns what is subtracted from the bytes of b.
func QuadZero() uint8 { return pack.QuadZero() }

// QuadsOf returns the number of quads that hold n elements of the depth. The last one may have
// elements left.
func QuadsOf(n int) int { return pack.QuadsOf(n) }

// PairsOf returns the number of pairs of n elements. The last pair may have a single one.
func PairsOf(n int) int { return pack.PairsOf(n) }

// MaxLevelZero is the largest distance of the level of zero from level 0 for products of levels:
// sums of products of numbers that are all far from zero would be rounded too much.
const MaxLevelZero = 1 << 10

// LevelsPay reports whether it is faster to make quads of two matrices of u8 and to multiply them
// than to multiply float32, and whether all sums fit an int32. With few rows or columns, or a small
// depth, making the quads takes as long as is saved.
func LevelsPay(m, n, depth int) bool {
	const leastLines, leastDepth, mostDepth = 48, 32, (1<<31 - 1) / (255 * 255)
	return min(m, n) >= leastLines && depth >= leastDepth && depth <= mostDepth
}
