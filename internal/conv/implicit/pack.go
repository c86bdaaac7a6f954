package implicit

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/gemm/pack"
)

//go:generate go run ./_neon -out pack_arm64.s -stubs stubs_arm64.go -pkg implicit

// factors are what the columns of a box are packed from, for one block of the depth.
type factors struct {
	from []gemm.Lane // the result of blockInput
	// the same for a source that packs the input itself
	floats []float32
	bytes  []uint8
	rows   int // the block of the rows of the source
}

// packPanel packs the next columns of c into a panel of the given width, from f. If there are fewer
// columns than the width, the rest is zeros.
func packPanel(s *source, k packer, panel []gemm.Lane, f *factors, c *cursor, width, columns int) {
	rows, furthest := s.rows[f.rows*s.depth:], s.furthest[f.rows]
	rows = rows[:min(s.depth, len(rows))]
	if k == 0 {
		packRuns(panel, f.from, rows, furthest, width, columns, c)
		return
	}
	c.setRuns(columns, width/2)
	_ = f.from[c.last+furthest] // the assembly does not check bounds
	k.pack(cast.Slice[float32](panel), cast.Slice[float32](f.from), rows, &c.panelRuns)
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
