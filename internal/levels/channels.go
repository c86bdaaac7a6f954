package levels

// Levels are the integers that quantised data consists of, those of each channel in their own
// steps. The level of element i, x, is x*Scale[c] + Shift[c], clamped to 0 to Max, which is at most
// 255, and rounded to the nearest integer, halves to even; c is i/Inner % len(Scale). It is 0 for
// NaN.
//
// A product computes an activation in the same registers, with rows as channels. At most one is
// set.
type Levels struct {
	HSwish bool // x is first replaced by x*(min(max(x+3, 0), 6)/6), with 1/6 rounded
	// if it is not nil, negative x are first multiplied by Slope[c], which is finite
	Slope        []float32
	Scale, Shift []float32 // of the same length
	Inner        int
	Max          float32
}

// Of returns the level of x in channel c, which is not clamped or rounded, without an activation.
func (l *Levels) Of(x float32, c int) float32 {
	return float32(float64(x)*float64(l.Scale[c]) + float64(l.Shift[c]))
}

// Span returns the end of the elements from at on that are in one channel, at most hi, and that
// channel.
func (l *Levels) Span(at, hi int) (end, c int) {
	if len(l.Scale) == 1 {
		return hi, 0
	}
	return min(at-at%l.Inner+l.Inner, hi), at / l.Inner % len(l.Scale)
}

// Clamped returns the levels in channel c of the limits lo and hi of a clamp before them.
func (l *Levels) Clamped(lo, hi float32, c int) (float32, float32) {
	lo, hi = l.Of(lo, c), l.Of(hi, c)
	if l.Scale[c] < 0 {
		lo, hi = hi, lo
	}
	lo = min(max(lo, 0), l.Max)
	return lo, max(min(hi, l.Max), lo)
}

// Level returns the level of x in channel c, which is not rounded yet. The operations are those of
// the vector code, each in float32.
func (l *Levels) Level(x float32, c int) float32 {
	if l.HSwish {
		x *= float32(min(max(x+3, 0), 6) * float32(1./6))
	}
	if l.Slope != nil && x < 0 {
		x *= l.Slope[c]
	}
	v := float32(x*l.Scale[c]) + l.Shift[c]
	if !(v > 0) { // NaN too
		return 0
	}
	return min(v, l.Max)
}

// Channels returns the levels of channels lo to hi-1, if these are all that there are.
func (l *Levels) Channels(lo, hi int) *Levels {
	part := *l
	part.Scale, part.Shift = l.Scale[lo:hi], l.Shift[lo:hi]
	if l.Slope != nil {
		part.Slope = l.Slope[lo:hi]
	}
	return &part
}
