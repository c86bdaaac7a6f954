//go:build !noasm

package levels

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../levels_amd64.s -stubs ../stubs_amd64.go -pkg levels"

// vectorCodes computes Codes with assembly. It returns the number of elements that it has computed:
// all, or none if there is no assembly for the processor, or too few elements.
func vectorCodes(out []uint8, x []float32, scale, shift, most float32) int {
	n := len(x)
	switch {
	case n > 0 && cpu.AVX512.Available():
		codes512(&out[0], &x[0], n, scale, shift, most)
	case n >= 16 && cpu.AVX2.Available():
		codes2(&out[0], &x[0], n&^15, scale, shift, most)
		if n%16 > 0 {
			codes2(&out[n-16], &x[n-16], 16, scale, shift, most)
		}
	default:
		return 0
	}
	return n
}

// vectorValues computes Values with assembly, as vectorCodes does Codes.
func vectorValues(out []float32, x []uint8, low, step float32) int {
	n := len(x)
	switch {
	case n > 0 && cpu.AVX512.Available():
		values512(&out[0], &x[0], n, low, step)
	case n >= 8 && cpu.AVX2.Available():
		values2(&out[0], &x[0], n&^7, low, step)
		if n%8 > 0 {
			values2(&out[n-8], &x[n-8], 8, low, step)
		}
	default:
		return 0
	}
	return n
}

// vectorSums computes Sums with assembly, as vectorCodes does Codes.
func vectorSums(out []float32, a, b []uint8, of *Sum) int {
	n := len(out)
	switch {
	case n > 0 && cpu.AVX512.Available():
		sums512(&out[0], &a[0], &b[0], n, &of.Scale[0])
	case n >= 8 && cpu.AVX2.Available():
		n &^= 7
		sums2(&out[0], &a[0], &b[0], n, &of.Scale[0])
	default:
		return 0
	}
	return n
}

// vectorSumCodes computes SumCodes with assembly, as vectorCodes does Codes.
func vectorSumCodes(out, a, b []uint8, of *Sum) int {
	n := len(out)
	switch {
	case n > 0 && cpu.AVX512.Available():
		sumCodes512(&out[0], &a[0], &b[0], n, &of.Scale[0])
	case n >= 16 && cpu.AVX2.Available():
		n &^= 15
		sumCodes2(&out[0], &a[0], &b[0], n, &of.Scale[0])
	default:
		return 0
	}
	return n
}

// vectorRows computes DecodeRows with assembly. It returns false if there is none for the
// processor, or for rows of n numbers. src has all rows.
func vectorRows(dst []float32, src []byte, n int) bool {
	if n%8 > 0 || !cpu.AVX2.Available() {
		return false
	}
	rows2(&dst[0], &src[0], n, len(dst)/n)
	return true
}
