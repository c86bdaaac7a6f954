package conv

import "github.com/vinoir/vinoir/internal/gemm"

// PacksInput reports whether Call.In, or Quads.In for quads, is the input itself, with Geometry.Channels in each group, not its pairs or
// quads. It is for windows of one element that are read in place: their panels are packed in one pass, not in two.
func (m *Implicit) PacksInput() bool { return m.packs }

// packInput is packPanel for a source that packs the input itself.
func (s *source) packInput(k *gemm.Kernel[float32], panel []float32, f *factors, c *cursor, columns int) {
	atOnce := 2 // channels
	if f.bytes != nil {
		atOnce = quadBytes
	}
	first := f.rows * k.KC * atOnce
	channels := min(k.KC*atOnce, s.channels-first)
	start := first*s.plane + s.rows[0] // the latter is not 0 if elements are cut off by negative padding
	place, n := c.nextRun(columns)
	if n == columns {
		if at := start + place; f.bytes != nil {
			k.QuadPanel(panel, f.bytes[at:], s.plane, channels, columns)
		} else {
			k.PairPanel(panel, f.from[at:], s.plane, channels, columns)
		}
		return
	}
	clear(panel)
	for at := 0; ; {
		for row := 0; row*atOnce < channels; row++ {
			from, to := start+row*atOnce*s.plane+place, panel[row*k.NR+at:][:n]
			left := channels - row*atOnce
			if f.bytes != nil {
				rows := gemm.RowsOfQuads(f.bytes[from:], s.plane, left, n)
				gemm.QuadRows(to, &rows, 0, quadBytes)
				continue
			}
			var second []float32
			if left > 1 {
				second = f.from[from+s.plane:]
			}
			k.PairRows(to, f.from[from:], second)
		}
		if at += n; at == columns {
			return
		}
		place, n = c.nextRun(columns - at)
	}
}
