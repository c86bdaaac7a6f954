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
	perLevel := 1 / steps
	row(
		&o[0], &in[0], len(in), float32(l.least), float32(l.greatest), float32(l.low), float32(l.outLow), float32(l.outHigh), float32(l.span),
		perLevel, float32(float64(levels)/float64(width)), float32(1/float64(levels)-float64(perLevel)), width, steps, 1/width, float32(l.margin(levels)),
	)
	return true
}

// margin returns the distance from a whole number up to which a product with levels/width has the
// level of the formula; -1 if the assembly must compute the formula. The factors and roundings of
// both differ by at most 1<<-22 of a number up to levels; twice that is left. The level of an
// element below low must give outLow.
func (l *level[T]) margin(levels T) T {
	const most = 1 << 10
	if levels > most || !(l.width > 0) || !(l.span-l.span == 0) || l.outLow == 0 && math.Signbit(float64(l.outLow)) {
		return -1
	}
	return 0.5 - levels/(1<<21)
}

// vectorColumns sets the first elements of out to the quantised x with assembly, and returns how
// many. Limit i of element k is of[i][at[i]+k*steps[i]], where a step is 0 or 1.
func vectorColumns[T float](out, x []T, levels T, of *[limits][]T, at, steps *[limits]int) int {
	const piece = 64
	if unsafe.Sizeof(levels) != 4 || !cpu.AVX2.Available() {
		return 0
	}
	lanes, wide := 8, cpu.AVX512.Available()
	if wide {
		lanes = 16
	}
	n := len(x) &^ (lanes - 1)
	o, in := cast.Slice[float32](out[:len(x)]), cast.Slice[float32](x)
	var repeated [limits][piece]float32
	for k := 0; k < n; k += piece {
		m := min(piece, n-k)
		var limit [limits]*float32
		for i := range limit {
			all := cast.Slice[float32](of[i])
			if steps[i] == 1 {
				limit[i] = &all[at[i]+k:][:m][0]
				continue
			}
			if k == 0 {
				for j := range m {
					repeated[i][j] = all[at[i]]
				}
			}
			limit[i] = &repeated[i][0]
		}
		if wide {
			quantizeColumns512(&o[k], &in[k], limit[0], limit[1], limit[2], limit[3], m, float32(levels))
		} else {
			quantizeColumns2(&o[k], &in[k], limit[0], limit[1], limit[2], limit[3], m, float32(levels))
		}
	}
	return n
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
