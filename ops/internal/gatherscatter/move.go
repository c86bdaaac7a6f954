package gatherscatter

import "github.com/vinoir/vinoir/internal/index"

// Take copies the rows of n elements that indices refer to:
//
//	dst[j] = src[indices[j]]
//
// src has len(src)/n rows. If negative is true, negative indices count from the end. An index
// that is out of range yields a row of zeros.
func Take[T any, I index.Integer](dst, src []T, n int, indices []I, negative bool) {
	if n == 1 {
		take1(dst, src, indices, negative)
		return
	}
	length := len(src) / n
	for j, v := range indices {
		row := dst[j*n : (j+1)*n]
		if i := index.Resolve(v, length, negative); i >= 0 {
			copy(row, src[i*n:])
		} else {
			clear(row)
		}
	}
}

// take1 is Take for n = 1.
func take1[T any, I index.Integer](dst, src []T, indices []I, negative bool) {
	dst = dst[:len(indices)]
	n := uint64(len(src))
	// The unrolled loop is most of the speed. It stops at the first index outside of [0,n-1].
	for len(indices) >= 4 && len(dst) >= 4 {
		a, b, c, d := uint64(indices[0]), uint64(indices[1]), uint64(indices[2]), uint64(indices[3])
		if a >= n || b >= n || c >= n || d >= n {
			break
		}
		dst[0], dst[1], dst[2], dst[3] = src[a], src[b], src[c], src[d]
		indices, dst = indices[4:], dst[4:]
	}
	for j, v := range indices {
		if i := uint64(v); i < uint64(len(src)) {
			dst[j] = src[i]
			continue
		}
		var element T
		if i := index.Resolve(v, len(src), negative); i >= 0 {
			element = src[i]
		}
		dst[j] = element
	}
}

// Put copies rows of n elements to the rows that indices refer to, in the order of the indices:
//
//	dst[indices[j]] = src[j]
//
// dst has len(dst)/n rows. Every index must be in range. Negative indices count from the end.
func Put[T any, I index.Integer](dst, src []T, n int, indices []I) {
	if n == 1 {
		src = src[:len(indices)]
		for j, v := range indices {
			if i := uint64(v); i < uint64(len(dst)) {
				dst[i] = src[j]
			} else {
				dst[int(v)+len(dst)] = src[j]
			}
		}
		return
	}
	length := len(dst) / n
	for j, v := range indices {
		i := int(v)
		if v < 0 {
			i += length
		}
		copy(dst[i*n:(i+1)*n], src[j*n:(j+1)*n])
	}
}
