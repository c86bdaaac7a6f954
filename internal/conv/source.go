package conv

import "slices"

// source packs columns of the matrix that the filters are multiplied by: row
// c*taps + k of it holds, for each output, element k of its window in channel c.
//
// Where windows reach beyond the input, or step over elements along the inner axis,
// a band of the input is copied first: the channels and lines that a box needs, with
// the zeros around it, and with elements that are steps apart next to each other.
// Either way an element's place is the sum of one of its row of the matrix and one of
// its column, and neighbouring columns are neighbours.
type source struct {
	walks    [3]walk
	channels int
	taps     int  // elements of a window
	depth    int  // rows of a block of the matrix
	plane    int  // elements of a channel of the input
	image    int  // elements from one image of the input to the next
	direct   bool // no band
	lanes    [3]lane

	strides [3]int // elements from an output to the next, in the band or the input
	channel int    // and from a channel to the next
	batch   int    // and from an image to the next
	rows    []int  // where the rows of the matrix start, the channels counted in their block
	band    int    // elements of the largest band

	furthest []int                                                    // the last place in rows of each block
	vectors  func(panel, from []float32, rows []int, runs *panelRuns) // packs a panel; nil where there is no code
}

// newSource returns the source of boxes of g, nil where bands would be too large.
// Images of the input are image elements apart.
func newSource(walks *[3]walk, channels, image, depth int, g *grid) *source {
	s := &source{walks: *walks, channels: channels, image: image, depth: depth, plane: 1, taps: 1}
	s.direct = walks[2].stride == 1
	for i := range s.walks {
		w := &s.walks[i]
		s.plane *= w.input
		s.taps *= len(w.offsets)
		s.direct = s.direct && w.inside()
	}
	var at [3][]int // where the elements of windows are along each axis
	s.channel = 1
	size := 1.0 // of a band
	most := g.most()
	for i := 2; i >= 0; i-- {
		w := &s.walks[i]
		places, step, length := w.offsets, w.stride, w.input
		if !s.direct {
			s.lanes[i] = newLane(w, most[i])
			places, step, length = s.lanes[i].taps, 1, s.lanes[i].total
			if size *= float64(length); size > maxMemory {
				return nil
			}
		}
		for _, place := range places {
			at[i] = append(at[i], place*s.channel)
		}
		s.strides[i] = step * s.channel
		s.channel *= length
	}
	s.batch = image
	if !s.direct {
		count := min(channels, (depth-1)/s.taps+2)
		if size*float64(count)*float64(g.images) > maxMemory {
			return nil
		}
		s.batch = s.channel * count
		s.band = s.batch * g.images
	}
	s.rows = make([]int, 0, channels*s.taps)
	for c := range channels {
		for _, z := range at[0] {
			for _, y := range at[1] {
				for _, x := range at[2] {
					first, _ := s.blockChannels(len(s.rows) / depth)
					s.rows = append(s.rows, (c-first)*s.channel+z+y+x)
				}
			}
		}
	}
	for at := 0; at < len(s.rows); at += depth {
		s.furthest = append(s.furthest, slices.Max(s.rows[at:min(at+depth, len(s.rows))]))
	}
	s.vectors = pickPack()
	return s
}

// blockChannels returns the channels, from lo to hi-1, that block i of the matrix is
// made of; all where there is no band.
func (s *source) blockChannels(i int) (lo, hi int) {
	if s.direct {
		return 0, s.channels
	}
	first := i * s.depth
	last := min(first+s.depth, s.channels*s.taps) - 1
	return first / s.taps, last/s.taps + 1
}

// block returns what the columns of a box are packed of, for block i of the matrix:
// a band, which it fills, or a part of the input.
func (s *source) block(in, band []float32, b *box, i int) []float32 {
	if s.direct {
		in = in[b.image*s.image:]
		for axis, first := range b.corner {
			in = in[first*s.strides[axis]:]
		}
		return in
	}
	lo, hi := s.blockChannels(i)
	for image := range b.images {
		for c := lo; c < hi; c++ {
			from := in[(b.image+image)*s.image+c*s.plane:][:s.plane]
			s.fill(band[image*s.batch+(c-lo)*s.channel:][:s.channel], from, b)
		}
	}
	return band
}

// fill copies what a box needs of a channel to a band.
func (s *source) fill(band, in []float32, b *box) {
	z, y := &s.walks[0], &s.walks[1]
	for i := range s.lanes[0].tracks {
		tz := &s.lanes[0].tracks[i]
		for oz := range b.lengths[0] + tz.extra {
			iz := tz.first + (b.corner[0]+oz)*z.stride
			plane := band[(tz.at+oz)*s.strides[0]:][:s.strides[0]]
			for j := range s.lanes[1].tracks {
				ty := &s.lanes[1].tracks[j]
				for oy := range b.lengths[1] + ty.extra {
					iy := ty.first + (b.corner[1]+oy)*y.stride
					line := plane[(ty.at+oy)*s.strides[1]:][:s.strides[1]]
					if iz < 0 || iz >= z.input || iy < 0 || iy >= y.input {
						clear(line)
						continue
					}
					s.fillLine(line, in[(iz*y.input+iy)*s.walks[2].input:], b)
				}
			}
		}
	}
}

// fillLine copies what a box needs of a line of the input.
func (s *source) fillLine(line, in []float32, b *box) {
	x := &s.walks[2]
	in = in[:x.input]
	for i := range s.lanes[2].tracks {
		t := &s.lanes[2].tracks[i]
		copyLine(line[t.at:][:b.lengths[2]+t.extra], in, t.first+b.corner[2]*x.stride, x.stride)
	}
}

// copyLine sets line[i] to in[first + i*step], or 0 where that is outside.
func copyLine(line, in []float32, first, step int) {
	lo := 0
	if first < 0 {
		lo = min(ceil(-first, step), len(line))
	}
	hi := lo
	if first+lo*step < len(in) {
		hi = min(len(line), ceil(len(in)-first, step))
	}
	clear(line[:lo])
	clear(line[hi:])
	if lo == hi {
		return
	}
	line, in = line[lo:hi], in[first+lo*step:]
	if step == 1 {
		copy(line, in)
		return
	}
	for i := range line {
		line[i] = in[i*step]
	}
}
