package conv

import "github.com/vinoir/vinoir/internal/gemm"

// pack packs the columns of a box, of rows first to first+depth-1 of the matrix.
// from is what source.block returned.
func (s *source) pack(k *gemm.Kernel[float32], panels, from []float32, b *box, first, depth int) {
	rows := s.rows[first:][:depth]
	next := cursor{source: s, lengths: b.lengths, column: b.column}
	for at := 0; at < b.columns; at += k.NR {
		panel := panels[at*depth:][:k.NR*depth]
		columns := min(k.NR, b.columns-at)
		packRuns(panel, from, rows, k.NR, columns, &next)
	}
}

// cursor goes over the columns of a box.
type cursor struct {
	*source
	lengths [3]int
	column  int
}

// run returns the place of the next column, and how many columns, up to most, are
// next to each other from there on.
func (c *cursor) run(most int) (place, n int) {
	x := c.column % c.lengths[2]
	line := c.column / c.lengths[2]
	plane := line / c.lengths[1]
	place = x*c.strides[2] + line%c.lengths[1]*c.strides[1] + plane%c.lengths[0]*c.strides[0] + plane/c.lengths[0]*c.batch
	n = min(most, c.lengths[2]-x)
	c.column += n
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
