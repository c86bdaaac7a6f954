package implicit

import (
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv/lines"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/gemm/pack"
	"github.com/vinoir/vinoir/internal/parallel"
)

// source packs columns of the matrix of windows. Row c*taps + k of the matrix holds, for each
// output, element k of its window in channel c.
//
// If windows reach beyond the input, or if the stride of the inner axis is not 1, a band of the
// input is copied first: the channels and lines that a box needs, with the zeros around them, and
// with elements that are a stride apart next to each other. In both cases the position of an
// element is the sum of one number for its row of the matrix and one for its column, and
// neighbouring columns are next to each other.
type source struct {
	walks            [3]walk
	channels         int
	taps             int  // elements of a window
	depth            int  // rows of a block of the matrix
	plane            int  // elements of a channel of the input
	inputImageStride int  // elements from one image of the input to the next
	direct           bool // the input is read in place, without a band
	packs            bool // panels are those of packInput
	bandAxes         [3]bandAxis

	strides       [3]int // elements from one output to the next, in the band or the input
	channelStride int    // elements from one channel to the next there
	imageStride   int    // elements from one image to the next there
	// where each row of the matrix starts, in the band of its block or in the input
	rows []int
	band int // elements of the largest band

	furthest []int // for each block, the largest of its rows
}

// isInPlace reports whether windows can be read from the input, without a band.
func isInPlace(walks *[3]walk) bool {
	return walks[2].stride == 1 && walks[0].inside() && walks[1].inside() && walks[2].inside()
}

// newSource returns a source for the boxes of g, or nil if a band would be too large or stop is
// requested. image is the number of elements from one image of the input to the next. k has the
// sizes of blocks and panels. direct reports whether the input is read in place.
func newSource(stop parallel.Stop, walks *[3]walk, channels, image int, k *gemm.Tiling, g *grid, direct bool) *source {
	depth := k.KC
	s := &source{walks: *walks, channels: channels, inputImageStride: image, depth: depth, plane: 1, taps: 1, direct: direct}
	for i := range s.walks {
		w := &s.walks[i]
		s.plane *= w.input
		s.taps *= len(w.offsets)
	}
	var at [3][]int // positions of the elements of a window along each axis
	s.channelStride = 1
	size := 1.0 // of a band
	most := g.maxLengths()
	for i := 2; i >= 0; i-- {
		w := &s.walks[i]
		places, step, length := w.offsets, w.stride, w.input
		if !s.direct {
			s.bandAxes[i] = newBandAxis(stop, w, most[i])
			places, step, length = s.bandAxes[i].taps, 1, s.bandAxes[i].total
			if size *= float64(length); size > maxMemory {
				return nil
			}
		}
		for _, place := range places {
			at[i] = append(at[i], place*s.channelStride)
		}
		s.strides[i] = step * s.channelStride
		s.channelStride *= length
	}
	s.imageStride = image
	if !s.direct {
		count := min(channels, (depth-1)/s.taps+2)
		if size*float64(count)*float64(g.images) > maxMemory {
			return nil
		}
		s.imageStride = s.channelStride * count
		s.band = s.imageStride * g.images
	}
	meter := stop.Meter()
	s.rows = make([]int, 0, channels*s.taps)
	for c := range channels {
		for _, z := range at[0] {
			for _, y := range at[1] {
				if meter.Spent(8 * len(at[2])) {
					return nil
				}
				for _, x := range at[2] {
					first, _ := s.blockChannels(len(s.rows) / depth)
					s.rows = append(s.rows, (c-first)*s.channelStride+z+y+x)
				}
			}
		}
	}
	for at := 0; at < len(s.rows); at += depth {
		s.furthest = append(s.furthest, slices.Max(s.rows[at:min(at+depth, len(s.rows))]))
	}
	return s
}

// blockChannels returns the channels of block i of the matrix, lo to hi-1. It returns all channels
// if there is no band.
func (s *source) blockChannels(i int) (lo, hi int) {
	if s.direct {
		return 0, s.channels
	}
	first := i * s.depth
	last := min(first+s.depth, s.channels*s.taps) - 1
	return first / s.taps, last/s.taps + 1
}

// blockInput returns the elements that the columns of box b are packed from, for block i of the
// matrix. That is either band, which it fills, or a part of the input. The bits of the elements of
// a band are combined with flip by exclusive or.
func blockInput(s *source, in, band []gemm.Lane, b *box, i int, flip uint32) []gemm.Lane {
	if s.direct {
		return in[s.start(b):]
	}
	lo, hi := s.blockChannels(i)
	for image := range b.images {
		from := in[(b.image+image)*s.inputImageStride+lo*s.plane:][:(hi-lo)*s.plane]
		to := band[image*s.imageStride:][:(hi-lo)*s.channelStride]
		fill(s, to, from, b)
		if flip != 0 {
			pack.FlipQuads(cast.Slice[gemm.Quad](to), flip)
		}
	}
	return band
}

// start returns where box b starts in the input, without a band.
func (s *source) start(b *box) int {
	at := b.image * s.inputImageStride
	for axis, first := range b.corner {
		at += first * s.strides[axis]
	}
	return at
}

// fill copies to band the part of the channels in that box b needs.
func fill(s *source, band, in []gemm.Lane, b *box) {
	z := &s.walks[0]
	for _, t := range s.bandAxes[0].tracks {
		for o := range b.lengths[0] + t.extra {
			at := (t.at + o) * s.strides[0]
			if i := t.first + (b.corner[0]+o)*z.stride; i >= 0 && i < z.input {
				fillPlane(s, band[at:], in[i*s.plane/z.input:], len(band)/s.channelStride, b)
				continue
			}
			for ; at < len(band); at += s.channelStride {
				clear(band[at:][:s.strides[0]])
			}
		}
	}
}

// fillPlane copies to band the part of one plane of each channel that box b needs.
func fillPlane(s *source, band, in []gemm.Lane, channels int, b *box) {
	y, x := &s.walks[1], &s.walks[2]
	for _, t := range s.bandAxes[1].tracks {
		n := b.lengths[1] + t.extra
		l := lines.Copy{
			Channels: channels, DstChannel: s.channelStride, SrcChannel: s.plane,
			DstLine: s.strides[1], SrcLine: y.stride * x.input,
		}
		from := l.Clip(n, t.first+b.corner[1]*y.stride, y.stride, y.input) * x.input
		above, below := l.Left, l.Right
		l.Lines = l.Count
		to := band[t.at*s.strides[1]:]
		for c := range channels {
			clear(to[c*s.channelStride:][:above*s.strides[1]])
			clear(to[c*s.channelStride+(n-below)*s.strides[1]:][:below*s.strides[1]])
		}
		if l.Lines == 0 {
			continue
		}
		to = to[above*s.strides[1]:]
		for _, t := range s.bandAxes[2].tracks {
			at := l.Clip(b.lengths[2]+t.extra, t.first+b.corner[2]*x.stride, x.stride, x.input)
			l.Copy(cast.Slice[float32](to[t.at:]), cast.Slice[float32](in[from+at:]), x.stride)
		}
	}
}

// run is a sequence of columns of a vector that are also next to each other in the source.
type run struct {
	place int    // position in the source of lane 0, even if lane 0 is not in the run
	lanes uint64 // bit i: lane i is in the run
}

// maxRuns is the largest number of runs of a panel, which consists of two vectors.
const maxRuns = 32

// panelRuns are the runs of the two vectors of a panel.
type panelRuns struct {
	runs   [maxRuns]run
	counts [2]int // runs of each vector
	last   int    // the largest position of an element so far
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
