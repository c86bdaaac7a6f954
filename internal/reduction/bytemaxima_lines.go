//go:build (amd64 || arm64) && !noasm

package reduction

// maximaLines is the argument of the assembly that computes a row of outputs. _asm/windows.go and
// _neon/windows.go depend on its layout.
type maximaLines struct {
	out, in              *uint8
	pitch                int // from one line to the next
	rows, taps, dilation int
	vectors              int // of 32 outputs
	stride               int
}

// runLines computes a plane row by row. in and out start with the plane; what follows may be read,
// and out is written up to its end by the plane or before those that follow are computed. The zeros
// around the lines stay as they are.
func (p *ByteMaxima) runLines(lines *byteLines, out, in []uint8) {
	y, x := &p.y, &p.x
	line := p.line()
	c := maximaLines{taps: x.Kernel, dilation: x.Dilation, vectors: (x.Output + 31) / 32, stride: x.Stride}
	// Windows of rows without zeros around them are read in place. What is read behind a row is for
	// outputs that there are not.
	inside := x.PadBegin == 0 && (x.Output-1)*x.Stride+(x.Kernel-1)*x.Dilation < x.Input
	for o := range y.Output {
		at, first := o*y.Stride-y.PadBegin, 0
		if at < 0 {
			first = (-at + y.Dilation - 1) / y.Dilation
		}
		at += first * y.Dilation
		c.rows = min(y.Kernel-first, (y.Input-at+y.Dilation-1)/y.Dilation)
		to := out[o*x.Output:]
		if c.rows <= 0 {
			clear(to[:x.Output])
			continue
		}
		if c.pitch = y.Dilation * x.Input; inside && at*x.Input+(c.rows-1)*c.pitch+line <= len(in) {
			c.in = &in[at*x.Input]
		} else {
			c.in = p.copyLines(lines, in[at*x.Input:], c.rows)
			c.pitch = line
		}
		if 32*c.vectors <= len(to) {
			c.out = &to[0]
			c.run()
			continue
		}
		c.out = &lines.out[0]
		c.run()
		copy(to[:x.Output], lines.out[:])
	}
}

// copyLines copies a number of lines of a window between the zeros, and returns the first.
func (p *ByteMaxima) copyLines(lines *byteLines, in []uint8, rows int) *uint8 {
	x, pitch := &p.x, p.line()
	pad := min(x.PadBegin, pitch)
	for i := range rows {
		copy(lines.in[i*pitch:][pad:pitch], in[i*p.y.Dilation*x.Input:][:x.Input])
	}
	return &lines.in[0]
}
