// Package lines copies and interleaves lines of planes.
package lines

import "github.com/vinoir/vinoir/internal/conv"

// Copy describes a copy of lines of the same length in several channels.
type Copy struct {
	Channels, DstChannel, SrcChannel int // number of channels, and distances from one to the next
	Lines, DstLine, SrcLine          int // the same for the lines of a channel
	// of a line: leading zeros, copied elements, trailing zeros
	Left, Count, Right int
}

// Copy copies every step-th element of the lines of src to dst. There must be at least one line.
func (l *Copy) Copy(dst, src []float32, step int) {
	if l.copyVectors(dst, src, step) {
		return
	}
	for c := range l.Channels {
		for i := range l.Lines {
			to := dst[c*l.DstChannel+i*l.DstLine:][:l.Left+l.Count+l.Right]
			clear(to[:l.Left])
			clear(to[l.Left+l.Count:])
			if l.Count == 0 {
				continue
			}
			from := src[c*l.SrcChannel+i*l.SrcLine:]
			if to = to[l.Left:][:l.Count]; step == 1 {
				copy(to, from)
				continue
			}
			copyStrided(to, from, step)
		}
	}
}

// Clip sets Left, Count and Right for a line of n elements. Element i of the line is element
// first + i*step of an input of the given length, or zero if that is outside the input. Clip
// returns the position in the input of the first copied element.
func (l *Copy) Clip(n, first, step, input int) (from int) {
	lo := 0
	if first < 0 {
		lo = min(conv.CeilDiv(-first, step), n)
	}
	hi := lo
	if first+lo*step < input {
		hi = min(n, conv.CeilDiv(input-first, step))
	}
	l.Left, l.Count, l.Right = lo, hi-lo, n-hi
	if l.Count == 0 {
		return 0
	}
	return first + lo*step
}
