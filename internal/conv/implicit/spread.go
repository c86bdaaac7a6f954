package implicit

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/conv/lines"
)

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
