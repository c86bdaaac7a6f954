package dynamicquantizelstm

import (
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/lowbit"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ops"
)

// blockColumns is the number of columns of a block, which both kinds of matrices have.
const blockColumns = gemm.BytesColumns

// blocks returns the number of blocks of columns.
func (m *matrix) blocks() int { return (m.columns + blockColumns - 1) / blockColumns }

// factors are what the sums of products of each column are corrected by.
type factors struct {
	offset ops.Area[float32] // of each direction: what is added because the integer of 0 is not 0
	scale  ops.Area[float32] // of each direction: that of the rows times that of the weights
}

// factorsOf are the factors of a direction in a run.
type factorsOf struct{ offset, scale []float32 }

func newFactors(s *ops.Scratch, m *matrix, directions int) *factors {
	padded := m.blocks() * blockColumns
	return &factors{ops.AreasOf[float32](s, directions, padded), ops.AreasOf[float32](s, directions, padded)}
}

func (f *factors) of(r *ops.Run, d int) factorsOf {
	return factorsOf{f.offset.Of(r, d), f.scale.Of(r, d)}
}

// set sets the factors of a direction for rows with the given numbers.
func (f *factors) set(r *ops.Run, d int, m *matrix, numbers []float32) {
	to := f.of(r, d)
	m.scaleBy(to.scale[:len(m.scale)], m.scale, numbers[scaleAt:])
	if m.bytes != nil {
		m.scaleBy(to.offset, m.sums, numbers[minusZeroAt:])
	}
}

// blockRows is the number of rows that are multiplied at a time: their codes stay in the cache.
const blockRows = 240

// multiply computes blocks lo to hi-1 of the columns of the product of rows. It ends early if the
// run must stop.
func (m *matrix) multiply(r *ops.Run, out []float32, x rounded, f factorsOf, rows, lo, hi int) {
	from, to := lo*blockColumns, min(hi*blockColumns, m.columns)
	codes, floats := m.strides()
	step := blockRows
	if m.bytes == nil {
		step = lowbit.MaxRows
	}
	for at := 0; at < rows && !r.Stop.Requested(); at += step {
		n := min(step, rows-at)
		c, block := out[at*m.columns:], x.floats[at*floats:]
		if m.bytes != nil {
			p := gemm.BytesProduct{C: c, LDC: m.columns, A: x.codes[at*codes:], Stride: codes, Rows: n, Scale: m.ones, Offset: f.offset}
			m.bytes.Multiply(&p, lo, hi)
		} else {
			m.codes.Multiply(r.Stop, c, m.columns, block, floats, n, lo, hi)
		}
		for i := range n {
			m.scaleRow(c[i*m.columns:][from:to], block[i*floats:][:m.depth], f.scale, from)
		}
	}
}

// scaleRow turns sums of products of integers, those of the columns from a number on, into a row of
// the product.
func (m *matrix) scaleRow(out, row, scale []float32, from int) {
	if m.zero != nil {
		sum := float32(vmath.Sum(row))
		for j, zero := range m.zero[from:][:len(out)] {
			out[j] -= float32(zero * sum)
		}
	}
	if len(m.scale) == 1 {
		m.scaleBy(out, out, scale)
		return
	}
	m.multiplyBy(out, out, scale[from:])
}
