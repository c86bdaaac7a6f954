package gatherscatter

import "github.com/vinoir/vinoir/internal/index"

// Take copies the rows of n elements that indices name, one after the other:
//
//	dst[j] = src[indices[j]]
//
// for the len(src)/n rows of src. Negative indices count from the back where they
// may. An index that is not allowed gives a row of zeros.
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

func take1[T any, I index.Integer](dst, src []T, indices []I, negative bool) {
	dst = dst[:len(indices)]
	n := uint64(len(src))
	// Four at a time, which is most of the speed, until one is not within [0,n-1].
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

// Put copies rows of n elements to the places that indices name, in the order in
// which they stand:
//
//	dst[indices[j]] = src[j]
//
// for the len(dst)/n rows of dst. Every index must be allowed; a negative one
// counts from the back.
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
