//go:build !noasm

package binaryconvolution

import (
	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/ir"
)

//go:generate sh -c "cd _asm && go run . -out ../bits_amd64.s -stubs ../stubs_amd64.go -pkg binaryconvolution"

// vectorDifferences is countDifferences with assembly. It returns false if there is none for the
// processor.
func vectorDifferences(sums []int64, patch, mask, group []uint64, columns int) bool {
	taps := len(group) / groupFilters
	wide := cpu.AVX512VPOPCNTDQ.Available()
	if taps == 0 || columns == 0 || !wide && !cpu.AVX2.Available() {
		return false
	}
	_, _, _ = sums[:groupFilters*columns], patch[:taps*columns], mask[:taps*columns]
	if wide {
		countDifferences512(&sums[0], &patch[0], &mask[0], &group[0], taps, columns)
	} else {
		countDifferences2(&sums[0], &patch[0], &mask[0], &group[0], taps, columns)
	}
	return true
}

// vectorPack packs the channels of the first columns, up to 64 channels that are stride elements
// apart, from element at of data on, with assembly. It returns how many columns.
func vectorPack(words []uint64, data *ir.Tensor, at, stride, channels int) int {
	const lanes, wideLanes = 4, 8
	if data.ElementType() != ir.F32 || channels == 0 {
		return 0
	}
	floats := ir.Data[float32](data)[at:]
	_ = floats[:(channels-1)*stride+len(words)]
	if n := len(words) &^ (wideLanes - 1); n > 0 && cpu.AVX512.Available() {
		packColumns512(&words[0], &floats[0], stride, channels, n)
		return n
	}
	n := len(words) &^ (lanes - 1)
	if n == 0 || !cpu.AVX2.Available() {
		return 0
	}
	packColumns2(&words[0], &floats[0], stride, channels, n)
	return n
}
