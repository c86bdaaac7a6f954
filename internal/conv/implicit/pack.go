package implicit

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

//go:generate go run ./_neon -out pack_arm64.s -stubs stubs_arm64.go -pkg implicit

// run is a sequence of columns of a vector that are also next to each other in the source.
type run struct {
	place int    // position in the source of lane 0, even if lane 0 is not in the run
	lanes uint64 // bit i: lane i is in the run
}

// maxRuns is the largest number of runs of a panel, which consists of two vectors.
const maxRuns = 32

// packPanel packs the next columns of c into a panel of the given width, for block i of the
// matrix. If there are fewer columns than the width, the rest is zeros. from is the result of
// blockInput.
func packPanel(s *source, panel, from []gemm.Lane, c *cursor, i, width, columns int) {
	rows := s.rows[i*s.depth:]
	rows = rows[:min(s.depth, len(rows))]
	if s.vectors == 0 {
		packRuns(panel, from, rows, s.furthest[i], width, columns, c)
		return
	}
	c.setRuns(columns, width/2)
	_ = from[c.last+s.furthest[i]] // the assembly does not check bounds
	s.vectors.pack(cast.Slice[float32](panel), cast.Slice[float32](from), rows, &c.panelRuns)
}

// panelRuns are the runs of the two vectors of a panel.
type panelRuns struct {
	runs   [maxRuns]run
	counts [2]int // runs of each vector
	last   int    // the largest position of an element so far
}

// setRuns moves c over the next columns and sets their runs, for vectors of the given number of
// lanes. Each vector gets at least one run. If none has more than three, both get the same number;
// the runs added for that have no lanes.
func (c *cursor) setRuns(columns, lanes int) {
	p := &c.panelRuns
	n := 0
	for half := range 2 {
		first := n
		left := min(columns-half*lanes, lanes)
		for lane := 0; lane < left; n++ {
			place, count := c.nextRun(left - lane)
			p.runs[n] = run{place - lane, (1<<count - 1) << lane}
			p.last = max(p.last, place+count-1)
			lane += count
		}
		p.counts[half] = n - first
	}
	a, b := p.counts[0], p.counts[1]
	switch most := max(a, b); {
	case most > 3:
		if b == 0 {
			p.runs[n], p.counts[1] = run{}, 1
		}
	case a != b:
		second := [3]run{}
		copy(second[:], p.runs[a:n])
		for ; a < most; a++ {
			p.runs[a] = run{}
		}
		copy(p.runs[most:], second[:most])
		p.counts = [2]int{most, most}
	}
}

// cursor iterates over the columns of a box.
type cursor struct {
	*source
	panelRuns
	lengths [3]int // of the region of the box
	at      [3]int // the next column, along each axis
	line    int    // position in the source of the first column of the current line
	plane   int    // the same for the current plane
	image   int    // the same for the current image
}

// newCursor returns a cursor at the first column of b.
func newCursor(s *source, b *box) cursor {
	c := cursor{source: s, lengths: b.lengths}
	line := b.column / b.lengths[2]
	c.at = [3]int{line / b.lengths[1], line % b.lengths[1], b.column % b.lengths[2]}
	c.plane = c.at[0] * s.strides[0]
	c.line = c.plane + c.at[1]*s.strides[1]
	return c
}

// nextRun returns the position in the source of the next column, and the number of columns, up to
// most, that are next to each other from there on. It moves c behind them.
func (c *cursor) nextRun(most int) (place, n int) {
	place = c.line + c.at[2]
	n = min(most, c.lengths[2]-c.at[2])
	if c.at[2] += n; c.at[2] < c.lengths[2] {
		return place, n
	}
	c.at[2] = 0
	c.line += c.strides[1]
	if c.at[1]++; c.at[1] < c.lengths[1] {
		return place, n
	}
	c.at[1] = 0
	c.plane += c.strides[0]
	if c.at[0]++; c.at[0] == c.lengths[0] {
		c.at[0] = 0
		c.image += c.imageStride
		c.plane = c.image
	}
	c.line = c.plane
	return place, n
}

// packRuns is packPanel run by run, for the given rows of the matrix, the largest of which is
// furthest.
func packRuns(panel, from []gemm.Lane, rows []int, furthest, width, columns int, c *cursor) {
	if columns < width {
		clear(panel)
	}
	for at := 0; at < columns; {
		place, n := c.nextRun(columns - at)
		if vectorRun(cast.Slice[float32](panel[at:]), cast.Slice[float32](from[place:]), rows, furthest, width, n) {
			at += n
			continue
		}
		for r, row := range rows {
			copy(panel[r*width+at:][:n], from[row+place:][:n])
		}
		at += n
	}
}

// PacksInput reports whether runs read the input itself, Call.Floats or Quads.In, with
// Geometry.Channels in each group, not its pairs or quads in Call.In. It is for windows of one
// element that are read in place: their panels are packed in one pass, not in two.
func (m *Plan) PacksInput() bool { return m.packs }

// packInput is packPanel for a source that packs the input itself.
func packInput(s *source, k *gemm.Tiling, panel []gemm.Lane, f *factors, c *cursor, columns int) {
	atOnce := 2 // channels
	if f.bytes != nil {
		atOnce = quadBytes
	}
	first := f.rows * k.KC * atOnce
	channels := min(k.KC*atOnce, s.channels-first)
	// the latter is not 0 if elements are cut off by negative padding
	start := first*s.plane + s.rows[0]
	place, n := c.nextRun(columns)
	if n == columns {
		if at := start + place; f.bytes != nil {
			k.QuadPanel(cast.Slice[gemm.Quad](panel), f.bytes[at:], s.plane, channels, columns)
		} else {
			k.PairPanel(cast.Slice[gemm.Pair](panel), f.floats[at:], s.plane, channels, columns)
		}
		return
	}
	clear(panel)
	for at := 0; ; {
		for row := 0; row*atOnce < channels; row++ {
			from, to := start+row*atOnce*s.plane+place, panel[row*k.NR+at:][:n]
			left := channels - row*atOnce
			if f.bytes != nil {
				rows := pack.RowsOfQuads(f.bytes[from:], s.plane, left, n)
				pack.QuadRows(cast.Slice[gemm.Quad](to), &rows, 0, quadBytes)
				continue
			}
			var second []float32
			if left > 1 {
				second = f.floats[from+s.plane:]
			}
			k.PairRows(cast.Slice[gemm.Pair](to), f.floats[from:], second)
		}
		if at += n; at == columns {
			return
		}
		place, n = c.nextRun(columns - at)
	}
}
