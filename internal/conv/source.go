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

	furthest []int // the last place in rows of each block
	vectors  packer
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
		from := in[(b.image+image)*s.image+lo*s.plane:][:(hi-lo)*s.plane]
		s.fill(band[image*s.batch:][:(hi-lo)*s.channel], from, b)
	}
	return band
}

// fill copies what a box needs of channels to a band.
func (s *source) fill(band, in []float32, b *box) {
	z := &s.walks[0]
	for _, t := range s.lanes[0].tracks {
		for o := range b.lengths[0] + t.extra {
			at := (t.at + o) * s.strides[0]
			if i := t.first + (b.corner[0]+o)*z.stride; i >= 0 && i < z.input {
				s.fillPlane(band[at:], in[i*s.plane/z.input:], len(band)/s.channel, b)
				continue
			}
			for ; at < len(band); at += s.channel {
				clear(band[at:][:s.strides[0]])
			}
		}
	}
}

// fillPlane copies what a box needs of a plane of each channel.
func (s *source) fillPlane(band, in []float32, channels int, b *box) {
	y, x := &s.walks[1], &s.walks[2]
	for _, t := range s.lanes[1].tracks {
		n := b.lengths[1] + t.extra
		l := lines{
			channels: channels, dstChannel: s.channel, srcChannel: s.plane,
			dstLine: s.strides[1], srcLine: y.stride * x.input,
		}
		from := l.clip(n, t.first+b.corner[1]*y.stride, y.stride, y.input) * x.input
		above, below := l.left, l.right
		l.lines = l.count
		to := band[t.at*s.strides[1]:]
		for c := range channels {
			clear(to[c*s.channel:][:above*s.strides[1]])
			clear(to[c*s.channel+(n-below)*s.strides[1]:][:below*s.strides[1]])
		}
		if l.lines == 0 {
			continue
		}
		to = to[above*s.strides[1]:]
		for _, t := range s.lanes[2].tracks {
			at := l.clip(b.lengths[2]+t.extra, t.first+b.corner[2]*x.stride, x.stride, x.input)
			l.copy(to[t.at:], in[from+at:], x.stride)
		}
	}
}
