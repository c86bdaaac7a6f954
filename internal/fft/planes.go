package fft

// Split copies n elements of each lane to planes, the even ones to re and the odd ones to im.
// Element j of lane l is at l*distance + j of src, and goes to j/2*lanes + l of a plane:
//
//	re[j*lanes+l], im[j*lanes+l] = src[l*distance+2*j], src[l*distance+2*j+1]
func Split(re, im []float32, lanes int, src []float32, distance, n int) {
	done := vectorSplit(re, im, lanes, src, distance, n)
	if done == n {
		return
	}
	for l := range lanes {
		line := src[l*distance:][:n]
		for j := done; j < n; j++ {
			to := j/2*lanes + l
			if j%2 == 0 {
				re[to] = line[j]
			} else {
				im[to] = line[j]
			}
		}
	}
}

// Join is the reverse of Split: it copies the planes, times scale, to n elements of each lane of
// dst.
func Join(dst []float32, distance int, re, im []float32, lanes, n int, scale float32) {
	done := vectorJoin(dst, distance, re, im, lanes, n, scale)
	if done == n {
		return
	}
	for l := range lanes {
		line := dst[l*distance:][:n]
		for j := done; j < n; j++ {
			from := j/2*lanes + l
			if j%2 == 0 {
				line[j] = re[from] * scale
			} else {
				line[j] = im[from] * scale
			}
		}
	}
}
