//go:build (amd64 || arm64) && !noasm

package reduction

// maximaLines is the argument of the assembly that computes a row of outputs. _asm/windows.go and _neon/windows.go
// depend on its layout.
type maximaLines struct {
	out, in              *uint8
	pitch                int // from one line to the next
	rows, taps, dilation int
	vectors              int // of 32 outputs
	stride               int
}

// runLines computes a plane row by row. The zeros around the lines stay as they are.
func (p *ByteMaxima) runLines(lines *byteLines, out, in []uint8) {
	y, x, pitch := &p.y, &p.x, p.line()
	pad := min(x.PadBegin, pitch)
	c := maximaLines{
		out: &lines.out[0], in: &lines.in[0], pitch: pitch, taps: x.Kernel, dilation: x.Dilation, vectors: (x.Output + 31) / 32, stride: x.Stride,
	}
	for o := range y.Output {
		c.rows = 0
		for k := range y.Kernel {
			at := o*y.Stride + k*y.Dilation - y.PadBegin
			if at < 0 || at >= y.Input {
				continue
			}
			copy(lines.in[c.rows*pitch:][pad:pitch], in[at*x.Input:][:x.Input])
			c.rows++
		}
		to := out[o*x.Output:][:x.Output]
		if c.rows == 0 {
			clear(to)
			continue
		}
		c.run()
		copy(to, lines.out[:])
	}
}
