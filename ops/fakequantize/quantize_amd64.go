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
func vectorColumns[T cast.Float](out, x []T, levels T, of *[limits][]T, at, steps *[limits]int) int {
	if unsafe.Sizeof(levels) != 4 || !cpu.AVX2.Available() {
		return 0
	}
	lanes := 8
	if cpu.AVX512.Available() {
		lanes = 16
	}
	n := len(x) &^ (lanes - 1)
	if n == 0 {
		return 0
	}
	o, in := cast.Slice[float32](out[:n]), cast.Slice[float32](x[:n])
	var all [limits][]float32
	for i := range all {
		all[i] = cast.Slice[float32](of[i][at[i]:])
	}
	if *steps == [limits]int{1, 1, 1, 1} {
		quantizeColumns(o, in, &all, float32(levels))
		return n
	}
	// The limits with a step of 0 are repeated in memory of their own.
	var repeated [limits][piece]float32
	for i, step := range steps {
		for j := 0; step == 0 && j < min(piece, n); j++ {
			repeated[i][j] = all[i][0]
		}
	}
	for k := 0; k < n; k += piece {
		end := min(k+piece, n)
		var limit [limits][]float32
		for i, step := range steps {
			limit[i] = all[i][k*step:]
			if step == 0 {
				limit[i] = repeated[i][:]
			}
		}
		quantizeColumns(o[k:end], in[k:end], &limit, float32(levels))
	}
	return n
}

// piece is the number of elements that vectorColumns computes at a time where it repeats limits.
const piece = 64

// quantizeColumns computes whole vectors of elements that have limits of their own.
func quantizeColumns(out, x []float32, of *[limits][]float32, levels float32) {
	n := len(x)
	low, high, outLow, outHigh := &of[0][:n][0], &of[1][:n][0], &of[2][:n][0], &of[3][:n][0]
	if cpu.AVX512.Available() {
		quantizeColumns512(&out[0], &x[0], low, high, outLow, outHigh, n, levels)
	} else {
		quantizeColumns2(&out[0], &x[0], low, high, outLow, outHigh, n, levels)
	}
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
