package conv

// lines are lines of the same length of several channels.
type lines struct {
	channels, dstChannel, srcChannel int // how many, and how far apart
	lines, dstLine, srcLine          int
	left, count, right               int // zeros, elements that are copied, zeros
}

// copy copies every step-th element of the lines of src to dst. There is one line at
// least.
func (l *lines) copy(dst, src []float32, step int) {
	if l.copyVectors(dst, src, step) {
		return
	}
	for c := range l.channels {
		for i := range l.lines {
			to := dst[c*l.dstChannel+i*l.dstLine:][:l.left+l.count+l.right]
			clear(to[:l.left])
			clear(to[l.left+l.count:])
			if l.count == 0 {
				continue
			}
			from := src[c*l.srcChannel+i*l.srcLine:]
			if to = to[l.left:][:l.count]; step == 1 {
				copy(to, from)
				continue
			}
			copyApart(to, from, step)
		}
	}
}

// clip sets what of a line of n elements, every step-th from first on, lies in an
// input of the given length, and returns where that starts.
func (l *lines) clip(n, first, step, input int) (from int) {
	lo := 0
	if first < 0 {
		lo = min(ceilDiv(-first, step), n)
	}
	hi := lo
	if first+lo*step < input {
		hi = min(n, ceilDiv(input-first, step))
	}
	l.left, l.count, l.right = lo, hi-lo, n-hi
	if l.count == 0 {
		return 0
	}
	return first + lo*step
}
