package conv

// DepthwiseShape is a convolution whose groups have one input channel each.
type DepthwiseShape struct {
	Batch, Channels int     // of the input
	Multiplier      int     // output channels of each input channel
	Axes            [3]Axis // depth, height and width; what is not there has length, kernel and stride 1
}

// Depthwise is the plan of a depthwise convolution:
//
//	out[n,o,y...] = bias[o] + sum over k... of weights[o,k...] * in[n,o/multiplier,at(y,k)...]
//
// It is safe for concurrent use.
type Depthwise struct {
	shape             DepthwiseShape
	inPlane, outPlane int
	kernel            int // elements of a filter
	bands, bandRows   int // pieces that an output plane is made in, rows of one
	together          int // items that are computed by one call
	direct            *planes
	taps              *tapped
}

// bandSize is the number of outputs of a band, more or less: what finish finds in
// the second-level cache, and enough work for a part of its own.
const bandSize = 16 << 10

// togetherSize is about how many outputs of small planes are computed by one call.
const togetherSize = 4 << 10

// maxColumns is the length of rows up to which a plan may hold more memory than a row.
const maxColumns = 1 << 16

// NewDepthwise returns the plan, or nil where the window is of a kind that is not
// worth one.
func NewDepthwise(shape DepthwiseShape) *Depthwise {
	z, y, x := &shape.Axes[0], &shape.Axes[1], &shape.Axes[2]
	d := &Depthwise{
		shape:    shape,
		inPlane:  z.Input * y.Input * x.Input,
		outPlane: z.Output * y.Output * x.Output,
		kernel:   z.Kernel * y.Kernel * x.Kernel,
	}
	if d.inPlane == 0 || d.outPlane == 0 || d.kernel == 0 {
		return nil
	}
	if d.direct = newPlanes(&shape); d.direct == nil {
		if d.taps = newTapped(&shape); d.taps == nil {
			return nil
		}
	}
	rows := z.Output * y.Output
	d.bandRows = rows
	if d.outPlane > 2*bandSize {
		step := d.direct.tileRows()
		d.bandRows = max(bandSize/x.Output/step, 1) * step
	}
	if d.bandRows > y.Output {
		// Bands of several planes are whole planes.
		d.bandRows = max(d.bandRows/y.Output, 1) * y.Output
	}
	d.bands = (rows + d.bandRows - 1) / d.bandRows
	d.together = 1
	if d.direct != nil && d.bands == 1 && shape.Multiplier == 1 {
		d.together = max(togetherSize/d.outPlane, 1)
	}
	return d
}

// Items returns the number of work items, which are independent of each other.
func (d *Depthwise) Items() int {
	return d.shape.Batch * d.shape.Channels * d.shape.Multiplier * d.bands
}

// ItemFlops returns about how many operations an item is.
func (d *Depthwise) ItemFlops() int { return 2 * d.kernel * d.outPlane / d.bands }

// Scratch returns the float32s that Run needs.
func (d *Depthwise) Scratch() int {
	if d.taps != nil {
		return d.taps.size
	}
	return 0
}

// Run computes items lo to hi-1 of the output. scratch is the caller's own.
func (d *Depthwise) Run(out, in, weights []float32, e *Epilogue, scratch []float32, lo, hi int) {
	channels := d.shape.Channels * d.shape.Multiplier
	width, rows := d.shape.Axes[2].Output, d.outPlane/d.shape.Axes[2].Output
	for i := lo; i < hi; {
		plane := i / d.bands
		o := plane % channels
		first := i % d.bands * d.bandRows
		last := min(first+d.bandRows, rows)
		count := min(d.together, hi-i, channels-o)
		to := out[plane*d.outPlane:][:count*d.outPlane]
		from := in[plane/d.shape.Multiplier*d.inPlane:][:count*d.inPlane]
		filters := weights[o*d.kernel:][:count*d.kernel]
		var bias []float32
		if e.Bias != nil {
			bias = e.Bias[o:][:count]
		}
		if d.direct != nil {
			d.direct.run(to, from, filters, bias, e, count, first, last)
		} else {
			d.taps.run(to, from, filters, bias, e, scratch, first, last)
		}
		if e.Finish != nil {
			piece := to[first*width : (count-1)*d.outPlane+last*width]
			e.Finish(piece, plane*d.outPlane+first*width)
		}
		i += count
	}
}
