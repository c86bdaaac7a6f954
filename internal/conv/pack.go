package conv

// run is columns of a vector that are neighbours where they come from.
type run struct {
	place int    // of lane 0, if the run had it
	lanes uint64 // a bit for each
}

// maxRuns is the number of runs that a panel of two vectors can have.
const maxRuns = 32

// panel packs the next columns of a box, of block i of the matrix, which is depth
// rows. from is what source.block returned.
func (s *source) panel(panel, from []float32, c *cursor, i, width, columns int) {
	rows := s.rows[i*s.depth:]
	rows = rows[:min(s.depth, len(rows))]
	if s.vectors == 0 {
		packRuns(panel, from, rows, width, columns, c)
		return
	}
	c.set(columns, width/2)
	_ = from[c.last+s.furthest[i]] // the assembly checks nothing
	s.vectors.pack(panel, from, rows, &c.panelRuns)
}

// panelRuns are the runs of the two vectors of a panel.
type panelRuns struct {
	runs   [maxRuns]run
	counts [2]int
	last   int // place of the last element
}

// set reads the runs of the next columns. Both vectors get as many, one at least,
// where they have three or less; those too many have no lanes.
func (c *cursor) set(columns, lanes int) {
	p := &c.panelRuns
	n := 0
	for half := range 2 {
		first := n
		left := min(columns-half*lanes, lanes)
		for lane := 0; lane < left; n++ {
			place, count := c.run(left - lane)
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

// cursor goes over the columns of a box.
type cursor struct {
	*source
	panelRuns
	lengths [3]int
	at      [3]int
	line    int // place of the first column of the line
	plane   int // and of the plane
	image   int
}

func newCursor(s *source, b *box) cursor {
	c := cursor{source: s, lengths: b.lengths}
	line := b.column / b.lengths[2]
	c.at = [3]int{line / b.lengths[1], line % b.lengths[1], b.column % b.lengths[2]}
	c.plane = c.at[0] * s.strides[0]
	c.line = c.plane + c.at[1]*s.strides[1]
	return c
}

// run returns the place of the next column, and how many columns, up to most, are
// next to each other from there on.
func (c *cursor) run(most int) (place, n int) {
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
		c.image += c.batch
		c.plane = c.image
	}
	c.line = c.plane
	return place, n
}

// packRuns packs a panel of width columns, of which all from columns on are zeros.
func packRuns(panel, from []float32, rows []int, width, columns int, c *cursor) {
	if columns < width {
		clear(panel)
	}
	for at := 0; at < columns; {
		place, n := c.run(columns - at)
		for r, row := range rows {
			copy(panel[r*width+at:][:n], from[row+place:][:n])
		}
		at += n
	}
}
