//go:build amd64 && !noasm

package fakequantize

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../quantize_amd64.s -stubs ../stubs_amd64.go -pkg fakequantize"

// vectorRow sets out to the quantised x with assembly. It returns false if there is no assembly for
// T, the processor or the limits, or if x is empty.
func (l *level[T]) vectorRow(out, x []T, levels T) bool {
	if unsafe.Sizeof(levels) != 4 || len(x) == 0 || !cpu.AVX2.Available() || !cpu.FMA.Available() {
		return false
	}
	width, steps := float32(l.width), float32(levels)
	if !hasReciprocal(width) || !hasReciprocal(steps) {
		return false
	}
	o, in := cast.Slice[float32](out[:len(x)]), cast.Slice[float32](x)
	row := quantizeRow2
	if cpu.AVX512.Available() {
		row = quantizeRow512
	}
	row(
		&o[0], &in[0], len(in), float32(l.least), float32(l.greatest), float32(l.low), width,
		float32(l.outLow), float32(l.outHigh), float32(l.span), steps, 1/width, 1/steps,
	)
	return true
}

// hasReciprocal reports whether the assembly divides numbers up to b by b as a division does. It
// multiplies by 1/b and corrects the product once, which is correctly rounded unless the
// significand of b is all ones (P. Markstein, Computation of elementary functions on the IBM RISC
// System/6000 processor, 1990) or a product is too small. Quotients that are too small here round
// to level 0 in either way.
func hasReciprocal(b float32) bool {
	const most = 1 << 60
	size := math.Abs(float64(b))
	return size >= 1.0/most && size <= most && math.Float32bits(b)<<9 != 1<<32-1<<9
}
