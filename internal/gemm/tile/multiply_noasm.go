//go:build noasm || (!amd64 && !arm64)

package tile

import "github.com/vinoir/vinoir/internal/gemm/pack"

func floatsTiling() (Tiling, bool) { return Tiling{}, false }

func pairsTiling(_ bool) (Tiling, bool) { return Tiling{}, false }

func quadsTiling() (Tiling, bool) { return Tiling{}, false }

const f16SumsMR, f16SumsNR = 0, 0

func multiplyTiles[E, C ~float32](_ *Tiling, _ *Product[E, C]) { panic("BUG: no assembly") }

func multiplyF16Sums(_ *Tiling, _ *Product[pack.Pair, float32]) { panic("BUG: no assembly") }

func multiplyQuads(_ *Tiling, _ *Product[pack.Quad, float32]) { panic("BUG: no assembly") }

// EndsInFew reports whether a micro-kernel whose vectors are columns computes the last columns of
// c: there is none.
func (t *Tiling) EndsInFew(_ int) bool { return false }

// HasAMX reports whether there are kernels for tiles of AMX.
func HasAMX() bool { return false }

// HasF16Sums reports whether there is assembly for NewF16Sums.
func HasF16Sums() bool { return false }

// HasPairs reports whether there is a kernel for pairs of bf16, or of f16, that is faster than that
// for float32.
func HasPairs(_ bool) bool { return false }

// QuadsPay reports whether convolutions of quads are faster than those of float32.
func QuadsPay() bool { return false }

// HasLevels reports whether products of quads compute HSwish, SlopeRows and ToLevels in registers.
func HasLevels() bool { return false }

// HasHalves reports whether products with matrices of PackHalves are as fast as those of float32.
// Without assembly, the conversion takes longer than what it saves.
func HasHalves() bool { return false }

// MaxHalfRows is the number of rows that MultiplyHalves multiplies.
const MaxHalfRows = 0

// MultiplyHalves does nothing: there is no assembly.
func MultiplyHalves(_ *Tiling, p *Product[float32, float32], _ []uint16, _ bool) int { return p.NLo }
