//go:build amd64 && !noasm

package gemm

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../direct_amd64.s -stubs ../stubs_amd64.go -pkg gemm && cd .. && go run ../vex direct_amd64.s"

// dotsVectors is dots by assembly. It returns false if the processor does not support
// it.
func dotsVectors(c, a []float32, b Matrix[float32], lo, hi int) bool {
	if !cpu.FMA.Available() {
		return false
	}
	if lo < hi && cpu.AVX512.Available() {
		rows := b.Data[lo*b.ColStride:]
		_ = rows[(hi-1-lo)*b.ColStride+len(a)-1]
		dotsAVX512(&c[lo:hi][0], &a[0], &rows[0], b.ColStride, len(a), hi-lo)
		return true
	}
	for j := lo; j < hi; j++ {
		line := b.Data[j*b.ColStride:]
		_ = line[len(a)-1] // the assembly does not check bounds
		c[j] = dotAVX2(&a[0], &line[0], len(a))
	}
	return true
}

// narrow is the number of columns up to which addRows keeps all sums in registers. It then reads
// the rows one after the other.
const narrow = 128

// addRowsVectors is addRows by assembly. It returns false if the processor does not
// support it.
func addRowsVectors(out, a, b []float32, stride int) bool {
	if !cpu.FMA.Available() {
		return false
	}
	// The assembly does not check bounds.
	if n := len(out); n > 0 && n <= narrow && len(a) > 0 && cpu.AVX512.Available() {
		_ = b[(len(a)-1)*stride+n-1]
		addNarrowAVX512(&out[0], &a[0], &b[0], stride, n, len(a))
		return true
	}
	for p := 0; p < len(a); {
		rows := b[p*stride:]
		if len(a)-p >= 4 {
			_ = rows[3*stride+len(out)-1]
			addRows4(&out[0], &a[p], &rows[0], stride, len(out))
			p += 4
			continue
		}
		_ = rows[len(out)-1]
		addRows1(&out[0], &a[p], &rows[0], stride, len(out))
		p++
	}
	return true
}
