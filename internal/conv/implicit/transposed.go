package implicit

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/lines"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/parallel"
)

// NewTransposed returns the plan of a transposed convolution, as New does, of float32 or quads.
// g.In and g.Out are the channels of the input and the output of the transposed convolution. The
// axes describe the convolution that is transposed: their Input is the length of the transposed
// convolution's output, and their Output the length of its input. The filters are [Groups, In, Out,
// kernel axes]. Those of quads are constant.
func NewTransposed(stop parallel.Stop, g *Geometry, kernel *gemm.LaneKernel, threads int, constant bool) *Plan {
	m := g.plan(stop, kernel, constant)
	ph := &phaseMap{out: g.Out}
	var lists [3][]phaseGroup
	count := 1.0
	for i := range g.Axes {
		a := &g.Axes[i]
		count *= float64(min(a.Stride, a.Input))
		if count > conv.MaxPhases {
			return nil
		}
		lists[i] = phaseGroups(a)
		ph.strides[i], ph.lengths[i], ph.kernel[i] = min(a.Stride, a.Input), a.Input, a.Kernel
		ph.perPhase[i] = conv.CeilDiv(a.Input, a.Stride)
		m.outPlane *= a.Input
	}
	ph.firstRows = make([]int, int(count))
	var walks [][3]walk
	for _, z := range lists[0] {
		for _, y := range lists[1] {
			for _, x := range lists[2] {
				var w [3]walk
				for i, l := range []*phaseGroup{&z, &y, &x} {
					a := &g.Axes[i]
					w[i] = walk{input: a.Output, output: ph.perPhase[i], stride: 1, offsets: l.offsets}
				}
				phases := ph.mapProduct(&z, &y, &x, ph.rows)
				walks, ph.products = append(walks, w), append(ph.products, phases)
				p := newProduct(kernel, len(phases.taps)*g.Out, g.In, len(z.offsets)*len(y.offsets)*len(x.offsets))
				m.products = append(m.products, p)
				ph.rows += p.rows
			}
		}
	}
	m.phases, m.interleaved = ph, m.quads || len(ph.firstRows) > 1
	if len(walks) == 1 {
		joinAxes(&walks[0])
	}
	if !m.divide(walks, ph.rows, threads) {
		return nil
	}
	m.stop = nil
	return m
}

// SumsLen returns the number of elements of PhaseSums.
func (m *Plan) SumsLen() int { return m.groups * m.phases.rows }

// PhaseSums returns, for each group and each row of the results of a transposed convolution of
// quads, the sum of the elements of the filters that row multiplies by. The filters are [Groups,
// in, Out, kernel axes].
func (m *Plan) PhaseSums(filters []int8, in int) []int32 {
	ph := m.phases
	kernel := ph.kernel[0] * ph.kernel[1] * ph.kernel[2]
	sums := make([]int32, 0, m.SumsLen())
	for ; len(sums) < cap(sums); filters = filters[in*ph.out*kernel:] {
		for i := range ph.products {
			for _, taps := range ph.products[i].taps {
				for o := range ph.out {
					sum := int32(0)
					for c := range in {
						for _, tap := range taps {
							sum += int32(filters[(c*ph.out+o)*kernel+tap])
						}
					}
					sums = append(sums, sum)
				}
			}
		}
	}
	return sums
}

// computePhases computes a box of a group with all its phases, and stores the results in the
// output.
func (m *Plan) computePhases(c *Call, o *operands, slot []float32, b *box, group int) {
	results, bytes := slot[m.result:], []uint8(nil)
	if c.Quads.Bytes != nil {
		bytes = cast.Memory(slot[m.bytes:])
	}
	channels := o.bias
	for i := range m.products {
		p, first := &m.products[i], m.phases.products[i].row
		if channels != nil {
			o.bias = slot[m.bias:][:p.rows]
			for row := 0; row < p.rows; row += m.out {
				copy(o.bias[row:], channels)
			}
		}
		if m.quads {
			m.setPhases(c, o, slot, group, i)
			if bytes != nil {
				o.Bytes, o.BytesStride = bytes[first*m.stride:], m.stride
			}
		}
		p.multiply(results[first*m.stride:], m.stride, o, b, 0, p.rows)
	}
	for channel := range m.out {
		if c.Stop.Requested() {
			return
		}
		m.storePhases(c, results[channel*m.stride:], bytes, slot[m.line:], b, group*m.out+channel)
	}
}

// setPhases sets the scale and the bias of each row of product i. The bias takes the zero of the
// data from the sums: how many elements of the filters add up differs from phase to phase.
func (m *Plan) setPhases(c *Call, o *operands, slot []float32, group, i int) {
	rows := m.products[i].rows
	o.flip = m.flip(c, &m.products[i])
	scale := c.Quads.Scale[group*m.out:][:m.out]
	o.scale = slot[m.scale:][:rows]
	for row := 0; row < rows; row += m.out {
		copy(o.scale[row:], scale)
	}
	zero := int32(QuadsZero(c.Quads.Outside)) - int32(c.Quads.Zero)
	if zero == 0 {
		return
	}
	sums := c.Quads.Sums[group*m.phases.rows+m.phases.products[i].row:][:rows]
	for row, sum := range sums {
		o.bias[row] += o.scale[row] * float32(sum*zero)
	}
}

// storePhases interleaves the phases of a channel in the output, and calls Finish for them. Row
// firstRows[i] of results holds phase i of the channel, or that of bytes if the output is bytes. A
// line that Store writes is interleaved in memory of its own.
func (m *Plan) storePhases(c *Call, results []float32, bytes []uint8, own []float32, b *box, channel int) {
	ph := m.phases
	line := ph.perPhase[2]
	plane := line * ph.perPhase[1]
	volume := plane * ph.perPhase[0]
	for column := 0; column < b.columns; {
		at := b.at + column
		first := ((b.image+at/volume)*m.groups*m.out + channel) * m.outPlane
		z, y, x := at%volume/plane, at%plane/line, at%line
		n := min(b.columns-column, line-x)
		for i := range ph.strides[0] {
			for j := range ph.strides[1] {
				oz, oy, ox := z*ph.strides[0]+i, y*ph.strides[1]+j, x*ph.strides[2]
				if oz >= ph.lengths[0] || oy >= ph.lengths[1] {
					continue
				}
				first := first + (oz*ph.lengths[1]+oy)*ph.lengths[2] + ox
				count := min(n*ph.strides[2], ph.lengths[2]-ox)
				rows := ph.firstRows[(i*ph.strides[1]+j)*ph.strides[2]:][:ph.strides[2]]
				if bytes != nil {
					lines.InterleaveBytes(c.Quads.Bytes[first:][:count], bytes[channel%m.out*m.stride+column:], rows, m.stride)
					continue
				}
				to := own
				if !m.stored {
					to = c.Out[first:]
				}
				to = to[:count]
				lines.Interleave(to, results[column:], rows, m.stride)
				if c.Epilogue.Finish != nil {
					c.Epilogue.Finish(to, first)
				}
				if m.stored {
					c.Epilogue.Store(to, first)
				}
			}
		}
		column += n
	}
}
