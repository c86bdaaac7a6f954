package reduction

// Blend sets out[i] to the sum of weights[k]*in[places[k]+i] over all k. It has one
// weight for each place, and at least one. out and in do not overlap.
func Blend(out, in []float32, places []int, weights []float32) {
	if len(out) == 0 {
		return
	}
	for _, p := range places {
		_, _ = in[p], in[p+len(out)-1] // the assembly checks nothing
	}
	_ = weights[len(places)-1]
	if vectorBlend(out, in, places, weights) {
		return
	}
	for k, p := range places {
		row, w := in[p:][:len(out)], weights[k]
		if k == 0 {
			for i, v := range row {
				out[i] = w * v
			}
			continue
		}
		for i, v := range row {
			out[i] += w * v
		}
	}
}

// Columns makes each element of a row the sum of weighted elements of another row.
type Columns struct {
	input, output, taps int
	width, lanes        int // elements of the output that are computed at a time, and of a vector
	bases               []int
	// index and weights hold a vector for each tap of each block of width elements;
	// index is counted from the base of the block. weights is nil where all are 1.
	index   []int32
	weights []float32
}

// minWidth is the least width of a block that is worth it.
const minWidth = 4

// NewColumns returns the columns of which element o is the sum of
// weights[o*taps+k]*in[sources[o*taps+k]] over k below taps, for rows of input elements.
// It returns nil where there is no code for them, or sources are too far apart. Elements
// whose weight is 0 count for nothing, not even if they are NaN. If weights is nil, and
// taps is 1, elements are taken as they are.
func NewColumns(sources []int32, weights []float32, taps, input int) *Columns {
	c := &Columns{input: input, output: len(sources) / taps, taps: taps, lanes: vectorLanes()}
	if c.lanes == 0 || c.output == 0 {
		return nil
	}
	for c.width = min(c.lanes, c.output); !c.fit(sources); c.width /= 2 {
		if c.width/2 < minWidth {
			return nil
		}
	}
	c.index = make([]int32, len(c.bases)*taps*c.lanes)
	if weights != nil {
		c.weights = make([]float32, len(c.index))
	}
	for b, base := range c.bases {
		for o := b * c.width; o < min((b+1)*c.width, c.output); o++ {
			for k := range taps {
				at := (b*taps+k)*c.lanes + o - b*c.width
				c.index[at] = sources[o*taps+k] - int32(base)
				if weights != nil {
					c.weights[at] = weights[o*taps+k]
				}
			}
		}
	}
	return c
}

// fit finds the bases of blocks; false where the sources of one are more than two
// vectors.
func (c *Columns) fit(sources []int32) bool {
	c.bases = c.bases[:0]
	for first := 0; first < c.output; first += c.width {
		of := sources[first*c.taps : min(first+c.width, c.output)*c.taps]
		lo, hi := of[0], of[0]
		for _, s := range of {
			lo, hi = min(lo, s), max(hi, s)
		}
		if int(hi)-int(lo) >= 2*c.lanes {
			return false
		}
		c.bases = append(c.bases, int(lo))
	}
	return true
}

// rowElements is the number of elements of rows that blocks are computed for before
// the next block is.
const rowElements = 1 << 12

// Apply computes rows, which are outPitch apart in out and inPitch in in.
func (c *Columns) Apply(out, in []float32, rows, outPitch, inPitch int) {
	if rows <= 0 {
		return
	}
	_, _ = in[(rows-1)*inPitch+c.input-1], out[(rows-1)*outPitch+c.output-1] // the assembly checks nothing
	step := max(rowElements/max(c.input, c.output), 4)
	for first := 0; first < rows; first += step {
		n := min(step, rows-first)
		for b, base := range c.bases {
			o, at := b*c.width, b*c.taps*c.lanes
			var weights []float32
			if c.weights != nil {
				weights = c.weights[at:]
			}
			vectorColumns(
				out[first*outPitch+o:], in[first*inPitch+base:], c.index[at:], weights, c.taps,
				n, min(c.input-base, 2*c.lanes), min(c.width, c.output-o), c.lanes, inPitch, outPitch,
			)
		}
	}
}
