//go:build !noasm

package fft

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../assembly_amd64.s -stubs ../assembly_stubs_amd64.go -pkg fft"

// The numbers of float32 of the vectors.
const lanesAVX512, lanesAVX2 = 16, 8

// codeOf returns the code for a radix and rows of n elements; nil if there is none.
func codeOf(radix, n int) stageCode {
	switch {
	case n >= lanesAVX512 && cpu.AVX512.Available():
		switch radix {
		case 2:
			return stage2AVX512
		case 3:
			return stage3AVX512
		case 4:
			return stage4AVX512
		case 5:
			return stage5AVX512
		}
	case n >= lanesAVX2 && cpu.FMA.Available():
		switch radix {
		case 2:
			return stage2AVX2
		case 3:
			return stage3AVX2
		case 4:
			return stage4AVX2
		case 5:
			return stage5AVX2
		}
	}
	return nil
}

// vectorSplit does the first elements of each lane for Split, and returns their number.
func vectorSplit(re, im []float32, lanes int, src []float32, distance, n int) int {
	width, split := lanesAVX512, splitAVX512
	if !cpu.AVX512.Available() || lanes < lanesAVX512 || n < lanesAVX512 {
		width, split = lanesAVX2, splitAVX2
	}
	squares := n / width
	if lanes < width || squares == 0 || !cpu.AVX2.Available() {
		return 0
	}
	done := squares * width
	_, _, _ = re[done/2*lanes-1], im[done/2*lanes-1], src[(lanes-1)*distance+done-1]
	for l := 0; l < lanes; l += width {
		l := min(l, lanes-width)
		split(&re[l], &im[l], &src[l*distance], lanes, distance, squares)
	}
	return done
}

// vectorJoin is vectorSplit for Join.
func vectorJoin(dst []float32, distance int, re, im []float32, lanes, n int, scale float32) int {
	width, join := lanesAVX512, joinAVX512
	if !cpu.AVX512.Available() || lanes < lanesAVX512 || n < lanesAVX512 {
		width, join = lanesAVX2, joinAVX2
	}
	squares := n / width
	if lanes < width || squares == 0 || !cpu.AVX2.Available() {
		return 0
	}
	done := squares * width
	_, _, _ = re[done/2*lanes-1], im[done/2*lanes-1], dst[(lanes-1)*distance+done-1]
	for l := 0; l < lanes; l += width {
		l := min(l, lanes-width)
		join(&dst[l*distance], &re[l], &im[l], lanes, distance, squares, scale)
	}
	return done
}
