package conv

// lineCopy describes a copy of lines of the same length in several channels.
type lineCopy struct {
	channels, dstChannel, srcChannel int // number of channels, and distances from one to the next
	lines, dstLine, srcLine          int // the same for the lines of a channel
	left, count, right               int // of a line: leading zeros, copied elements, trailing zeros
}

// copy copies every step-th element of the lines of src to dst. There must be at least one line.
func (l *lineCopy) copy(dst, src []float32, step int) {
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
			copyStrided(to, from, step)
		}
	}
}

// clip sets left, count and right for a line of n elements. Element i of the line is element
// first + i*step of an input of the given length, or zero if that is outside the input. clip
// returns the position in the input of the first copied element.
func (l *lineCopy) clip(n, first, step, input int) (from int) {
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
