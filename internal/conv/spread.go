package conv

import "github.com/vinoir/vinoir/internal/gemm"

// computePhases computes a box of a group with all its phases, and stores the results in the
// output.
func (m *Implicit) computePhases(c *Call, o *operands, slot []float32, b *box, group int, e *gemm.Epilogue[float32]) {
	results := slot[m.result:]
	channels := e.RowBias
	for i := range m.products {
		p := &m.products[i]
		if channels != nil {
			e.RowBias = slot[m.bias:][:p.rows]
			for row := 0; row < p.rows; row += m.out {
				copy(e.RowBias[row:], channels)
			}
		}
		p.multiply(results[m.phases.products[i].row*m.stride:], m.stride, o, b, 0, p.rows, e)
	}
	for channel := range m.out {
		m.storePhases(c, results[channel*m.stride:], b, group*m.out+channel)
	}
}

// storePhases interleaves the phases of a channel in the output, and calls Finish for them. Row
// firstRows[i] of results holds phase i of the channel.
func (m *Implicit) storePhases(c *Call, results []float32, b *box, channel int) {
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
				to := c.Out[first:][:min(n*ph.strides[2], ph.lengths[2]-ox)]
				rows := ph.firstRows[(i*ph.strides[1]+j)*ph.strides[2]:][:ph.strides[2]]
				interleave(to, results[column:], rows, m.stride)
				if c.Epilogue.Finish != nil {
					c.Epilogue.Finish(to, first)
				}
			}
		}
		column += n
	}
}

// interleave sets to[i*n + j] to from[rows[j]*stride + i], where n is the number of rows.
func interleave(to, from []float32, rows []int, stride int) {
	n := len(rows)
	if n == 1 {
		copy(to, from[rows[0]*stride:])
		return
	}
	done := 0
	if n == 2 {
		done = 2 * interleaveVectors(to, from[rows[0]*stride:], from[rows[1]*stride:])
	}
	for j, row := range rows {
		at := row*stride + done/n
		for i := done + j; i < len(to); i += n {
			to[i] = from[at]
			at++
		}
	}
}
