//go:build !noasm

package fakequantize

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/cpu"
)

// vectorRow sets out to the quantised x with assembly. It returns false if there is no assembly for
// T or the processor, or if x is too short.
func (l *level[T]) vectorRow(out, x []T, levels T) bool {
	if unsafe.Sizeof(levels) != 4 || len(x) < 4 || !cpu.NEON.Available() {
		return false
	}
	o, in := cast.Slice[float32](out[:len(x)]), cast.Slice[float32](x)
	// The last elements are computed in memory of their own, since out may be x.
	var last [4]float32
	n := len(in) &^ 3
	copy(last[:], in[n:])
	run := func(out, x *float32, n int) {
		quantizeRowNEON(out, x, n, float32(l.least), float32(l.greatest), float32(l.low), float32(l.width),
			float32(l.outLow), float32(l.outHigh), float32(l.span), float32(levels))
	}
	run(&o[0], &in[0], n)
	if n < len(in) {
		run(&last[0], &last[0], 4)
		copy(o[n:], last[:])
	}
	return true
}

func vectorColumns[T cast.Float](_, _ []T, _ T, _ *[limits][]T, _, _ *[limits]int) int { return 0 }
