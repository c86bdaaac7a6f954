//go:build amd64 && !noasm

package fakequantize

import (
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/cpu"
)

//go:generate sh -c "cd _asm && go run . -out ../quantize_amd64.s -stubs ../stubs_amd64.go -pkg fakequantize"

// vectorRow sets out to the quantised x with assembly. It returns false if there is no assembly for
// T or the processor, or if x is empty.
func (l *level[T]) vectorRow(out, x []T, levels T) bool {
	if unsafe.Sizeof(levels) != 4 || len(x) == 0 || !cpu.AVX2.Available() {
		return false
	}
	o, in := cast.Slice[float32](out[:len(x)]), cast.Slice[float32](x)
	quantizeRow(
		&o[0], &in[0], len(in), float32(l.least), float32(l.greatest), float32(l.low), float32(l.width),
		float32(l.outLow), float32(l.outHigh), float32(l.span), float32(levels),
	)
	return true
}
