package depthwise

import (
	"slices"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/lines"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Transposed is the plan of a transposed convolution with one input channel in each group. Outputs
// whose positions have the same remainders modulo the strides form a phase: they use the same taps
// (filter elements), each of which reads the data at a fixed distance. So a phase is a sum of
// contiguous runs of a copy of the data with zeros around it, as in a tapPlan, and the phases of a
// line are interleaved into the output.
//
// A Transposed is safe for concurrent use.
type Transposed struct {
	shape             Shape
	inPlane, outPlane int
	kernel            int           // elements of a filter
	perPhase          [3]int        // outputs of a phase along each axis
	phases            [3]int        // phases along each axis
	first             [3]int        // the least distance of a tap along each axis
	reach             [3]int        // elements of the copy in addition to the outputs of a phase
	list              []sparsePhase // of all phases, those of a line next to each other
	order             []int         // the numbers of the phases of a line
	rows              int           // of the copy that a band computes for each phase, at most
	bands             int           // for each output of a phase along the first axis
	pitch             int           // elements from one row of the copy to the next
	copyLen, runLen   int           // elements of the copy, and of the sums of a phase
	compute           tapsFunc
}

// sparsePhase holds the taps of a phase.
type sparsePhase struct {
	taps    []int // indexes of filter elements
	offsets []int // where the runs of the taps start in the copy
}

// TransposedTableBytes returns the size of the tables of NewTransposed for shape, at most.
func (s *Shape) TransposedTableBytes() int64 {
	size := memory.Size[[2]int](s.Axes[0].Kernel, s.Axes[1].Kernel, s.Axes[2].Kernel)
	for i := range s.Axes {
		size = memory.Sum(size, memory.Size[[conv.AxisBytes]byte](s.Axes[i].Kernel))
	}
	return memory.Sum(size, memory.Size[sparsePhase](conv.MaxPhases))
}

// NewTransposed returns the plan of shape, whose Channels are those of the data. The axes describe
// the convolution that is transposed: their Input is the length of the output, and their Output
// that of the data. NewTransposed returns nil if the copies would be too large. The output and the
// filters must not be empty.
func NewTransposed(shape Shape) *Transposed {
	d := &Transposed{shape: shape, inPlane: 1, outPlane: 1, kernel: 1, compute: pickTaps()}
	var taps [3][][]axisTap // for each axis and phase
	count := 1
	for i := range shape.Axes {
		a := &shape.Axes[i]
		if count *= min(a.Stride, a.Input, conv.MaxPhases+1); count > conv.MaxPhases {
			return nil
		}
		taps[i], d.first[i], d.reach[i] = phaseTaps(a)
		if d.reach[i] >= maxScratch {
			return nil
		}
		d.phases[i], d.perPhase[i] = len(taps[i]), conv.CeilDiv(a.Input, a.Stride)
		d.inPlane, d.outPlane, d.kernel = d.inPlane*a.Output, d.outPlane*a.Input, d.kernel*a.Kernel
	}
	if !d.divide() {
		return nil
	}
	for i := range d.phases[2] {
		d.order = append(d.order, i)
	}
	copyRows := d.rows + d.reach[1]
	for _, z := range taps[0] {
		for _, y := range taps[1] {
			for _, x := range taps[2] {
				var p sparsePhase
				for _, i := range z {
					for _, j := range y {
						for _, k := range x {
							p.taps = append(p.taps, (i.tap*shape.Axes[1].Kernel+j.tap)*shape.Axes[2].Kernel+k.tap)
							at := ((i.distance-d.first[0])*copyRows+j.distance-d.first[1])*d.pitch + k.distance - d.first[2]
							p.offsets = append(p.offsets, at)
						}
					}
				}
				d.list = append(d.list, p)
			}
		}
	}
	return d
}

// axisTap is a filter element along an axis. It adds data element i+distance to output i of its
// phase.
type axisTap struct{ tap, distance int }

// phaseTaps returns the taps of each phase of an axis, the least distance, and how much larger the
// largest one is.
func phaseTaps(a *conv.Axis) (list [][]axisTap, first, reach int) {
	list = make([][]axisTap, min(a.Stride, a.Input))
	var distances []int
	for k := range a.Kernel {
		at := k*a.Dilation - a.PadBegin
		if phase := (at%a.Stride + a.Stride) % a.Stride; phase < len(list) {
			list[phase] = append(list[phase], axisTap{k, (phase - at) / a.Stride})
			distances = append(distances, (phase-at)/a.Stride)
		}
	}
	if len(distances) == 0 {
		return list, 0, 0
	}
	return list, slices.Min(distances), slices.Max(distances) - slices.Min(distances)
}

// divide divides the outputs of a plane into bands. It returns false if the copies would be too
// large, or if most of their elements would not be used.
func (d *Transposed) divide() bool {
	d.pitch = d.perPhase[2] + d.reach[2]
	planes := d.reach[0] + 1
	if float64(planes)*float64(d.reach[1]+1)*float64(d.pitch) > maxScratch {
		return false
	}
	outputs := d.pitch * d.phases[0] * d.phases[1] * d.phases[2] // of a row of the copy
	d.rows = min(max(bandSize/outputs, 1), d.perPhase[1])
	d.bands = conv.CeilDiv(d.perPhase[1], d.rows)
	// A run can extend beyond the last row by up to runStep elements, and so does the copy.
	d.copyLen = planes*(d.rows+d.reach[1])*d.pitch + runStep
	d.runLen = conv.CeilDiv((d.rows-1)*d.pitch+d.perPhase[2], runStep) * runStep
	if d.Scratch() > maxScratch {
		return false
	}
	return float64(d.copyLen) <= maxCopies*float64(d.kernel)*float64(d.rows)*float64(d.perPhase[2])+bandSize
}

// Items implements conv.Planes.
func (d *Transposed) Items() int {
	return d.shape.Batch * d.shape.Channels * d.shape.Multiplier * d.perPhase[0] * d.bands
}

// ItemFlops implements conv.Planes.
func (d *Transposed) ItemFlops() int { return 2 * d.kernel * d.rows * d.perPhase[2] }

// Scratch implements conv.Planes.
func (d *Transposed) Scratch() int {
	return d.copyLen + d.phases[2]*d.runLen + d.kernel
}

// Run implements conv.Planes.
func (d *Transposed) Run(stop parallel.Stop, out, in, weights []float32, e *conv.Epilogue, scratch []float32, lo, hi int) {
	channels := d.shape.Channels * d.shape.Multiplier
	for i := lo; i < hi && !stop.Requested(); i++ {
		plane, z, band := i/(d.perPhase[0]*d.bands), i/d.bands%d.perPhase[0], i%d.bands
		b := transposedBand{
			Transposed: d, stop: stop, e: e, scratch: scratch, z: z, y: band * d.rows,
			out: out[plane*d.outPlane:][:d.outPlane], at: plane * d.outPlane,
			weights: weights[plane%channels*d.kernel:][:d.kernel],
		}
		b.rows = min(d.rows, d.perPhase[1]-b.y)
		if e.Bias != nil {
			b.bias = e.Bias[plane%channels]
		}
		b.copy(in[plane/d.shape.Multiplier*d.inPlane:][:d.inPlane])
		for phase := range d.phases[0] {
			b.run(phase)
		}
	}
}

// transposedBand is a band of a plane: all phases of output z along the first axis, and of outputs
// y to y+rows-1 along the second.
type transposedBand struct {
	*Transposed
	stop       parallel.Stop
	e          *conv.Epilogue
	scratch    []float32
	z, y, rows int
	out        []float32 // the plane
	at         int       // its position in the output
	weights    []float32 // of the plane
	bias       float32
}

// copy copies the data that the band needs, with zeros for what is outside.
func (b *transposedBand) copy(in []float32) {
	z, y, x := &b.shape.Axes[0], &b.shape.Axes[1], &b.shape.Axes[2]
	to := b.scratch[:b.copyLen]
	l := lines.Copy{Channels: 1, Lines: 1}
	from := l.Clip(b.pitch, b.first[2], 1, x.Output)
	for i := range b.reach[0] + 1 {
		iz := b.z + b.first[0] + i
		for j := range b.rows + b.reach[1] {
			line := to[(i*(b.Transposed.rows+b.reach[1])+j)*b.pitch:][:b.pitch]
			iy := b.y + b.first[1] + j
			if iz < 0 || iz >= z.Output || iy < 0 || iy >= y.Output {
				clear(line)
				continue
			}
			clear(line[:l.Left])
			copy(line[l.Left:][:l.Count], in[(iz*y.Output+iy)*x.Output+from:])
			clear(line[l.Left+l.Count:])
		}
	}
}

// run computes the outputs of a phase along the first axis.
func (b *transposedBand) run(phase int) {
	z, y := &b.shape.Axes[0], &b.shape.Axes[1]
	oz := b.z*z.Stride + phase
	if oz >= z.Input {
		return
	}
	for i := range b.phases[1] {
		if b.stop.Requested() {
			return
		}
		b.lines(oz, i, b.list[(phase*b.phases[1]+i)*b.phases[2]:][:b.phases[2]])
	}
	if b.e.Finish == nil {
		return
	}
	width := b.shape.Axes[2].Input
	lo := (oz*y.Input + b.y*y.Stride) * width
	hi := (oz*y.Input + min((b.y+b.rows)*y.Stride, y.Input)) * width
	b.e.Finish(b.out[lo:hi], b.at+lo)
}

// lines computes the lines of a phase along the second axis, in plane oz of the output. phases are
// those of a line.
func (b *transposedBand) lines(oz, phase int, phases []sparsePhase) {
	y, width := &b.shape.Axes[1], b.shape.Axes[2].Input
	sums := b.scratch[b.copyLen:][:len(phases)*b.runLen]
	n := conv.CeilDiv((b.rows-1)*b.pitch+b.perPhase[2], runStep) * runStep
	for i := range phases {
		b.sum(sums[i*b.runLen:][:n], &phases[i])
	}
	for row := range b.rows {
		if oy := (b.y+row)*y.Stride + phase; oy < y.Input {
			lines.Interleave(b.out[(oz*y.Input+oy)*width:][:width], sums[row*b.pitch:], b.order, b.runLen)
		}
	}
}

// sum computes the outputs of a phase in the copy.
func (b *transposedBand) sum(to []float32, p *sparsePhase) {
	if len(p.taps) == 0 {
		for i := range to {
			to[i] = b.bias
		}
		if b.e.Clamp {
			conv.Clamp(to, b.e.Lo, b.e.Hi)
		}
		return
	}
	weights := b.scratch[b.copyLen+b.phases[2]*b.runLen:][:len(p.taps)]
	for i, tap := range p.taps {
		weights[i] = b.weights[tap]
	}
	b.compute(to, b.scratch[:b.copyLen], p.offsets, weights, b.bias, b.e)
}
