package gemm

import "github.com/vinoir/vinoir/internal/parallel"

// Row multiplies a row, a, by columns lo to hi-1 of b:
//
//	c[j] = sum over p of a[p]*b[p,j]
//
// It does not pack b, since each element of b is used only once. One of b's strides must be 1. The
// result for a column does not depend on lo and hi. It ends early if stop is requested.
func Row(stop parallel.Stop, c, a []float32, b Matrix[float32], lo, hi int) {
	if len(a) == 0 || lo >= hi {
		clear(c[lo:hi])
		return
	}
	if b.ColStride == 1 {
		out := c[lo:hi]
		clear(out)
		step := max(rowWork/len(out)&^3, 4)
		for p := 0; p < len(a) && !stop.Requested(); p += step {
			addRows(out, a[p:min(p+step, len(a))], b.Data[lo+p*b.RowStride:], b.RowStride)
		}
		return
	}
	if len(a) > maxRowDepth {
		longDots(stop, c, a, b, lo, hi)
		return
	}
	step := max(rowWork/len(a)&^3, 4)
	for ; lo < hi && !stop.Requested(); lo += step {
		dots(c, a, b, lo, min(lo+step, hi))
	}
}

// rowWork is the number of multiplications of a row between two checks. maxRowDepth is the greatest
// depth that a dot product does not divide.
const rowWork, maxRowDepth = 1 << 20, 1 << 20

// longDots sets c[j] to the dot product of a and column j of b, for columns lo to hi-1. a has more
// than maxRowDepth elements, and the columns are contiguous.
func longDots(stop parallel.Stop, c, a []float32, b Matrix[float32], lo, hi int) {
	for ; lo < hi; lo++ {
		c[lo] = 0
		for p := 0; p < len(a) && !stop.Requested(); p += maxRowDepth {
			var sum [1]float32
			dots(sum[:], a[p:min(p+maxRowDepth, len(a))], Matrix[float32]{b.Data[lo*b.ColStride+p:], 1, b.ColStride}, 0, 1)
			c[lo] += sum[0]
		}
	}
}

// dots is longDots for any number of elements of a.
func dots(c, a []float32, b Matrix[float32], lo, hi int) {
	if dotsVectors(c, a, b, lo, hi) {
		return
	}
	j := lo
	for ; j+4 <= hi; j += 4 {
		dot4(c[j:], a, b.Data[j*b.ColStride:], b.ColStride)
	}
	for ; j < hi; j++ {
		c[j] = dot(a, b.Data[j*b.ColStride:])
	}
}

// addRows adds the rows of b, each multiplied by its element of a, to c. In Go, it adds four rows
// at a time.
func addRows(c, a, b []float32, stride int) {
	if addRowsVectors(c, a, b, stride) {
		return
	}
	p := 0
	for ; p+4 <= len(a); p += 4 {
		r0, r1 := b[p*stride:][:len(c)], b[(p+1)*stride:][:len(c)]
		r2, r3 := b[(p+2)*stride:][:len(c)], b[(p+3)*stride:][:len(c)]
		a0, a1, a2, a3 := a[p], a[p+1], a[p+2], a[p+3]
		for j := range c {
			c[j] += a0*r0[j] + a1*r1[j] + (a2*r2[j] + a3*r3[j])
		}
	}
	for ; p < len(a); p++ {
		row, x := b[p*stride:][:len(c)], a[p]
		for j := range c {
			c[j] += x * row[j]
		}
	}
}

// dot4 sets c[j] to the dot product of a and the elements from b[j*stride] on, for j from 0 to 3.
func dot4(c, a, b []float32, stride int) {
	var s0, s1, s2, s3, t0, t1, t2, t3 float32
	n := len(a)
	b0, b1, b2, b3 := b[:n], b[stride:][:n], b[2*stride:][:n], b[3*stride:][:n]
	i := 0
	for ; i+2 <= n; i += 2 {
		x, y := a[i], a[i+1]
		s0 += x * b0[i]
		t0 += y * b0[i+1]
		s1 += x * b1[i]
		t1 += y * b1[i+1]
		s2 += x * b2[i]
		t2 += y * b2[i+1]
		s3 += x * b3[i]
		t3 += y * b3[i+1]
	}
	if i < n {
		x := a[i]
		s0, s1, s2, s3 = s0+x*b0[i], s1+x*b1[i], s2+x*b2[i], s3+x*b3[i]
	}
	c[0], c[1], c[2], c[3] = s0+t0, s1+t1, s2+t2, s3+t3
}

// dot returns the dot product of a and the first elements of b.
func dot(a, b []float32) float32 {
	var s, t float32
	b = b[:len(a)]
	i := 0
	for ; i+2 <= len(a); i += 2 {
		s += a[i] * b[i]
		t += a[i+1] * b[i+1]
	}
	if i < len(a) {
		s += a[i] * b[i]
	}
	return s + t
}
