package rnn

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/cpu"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/lowbit"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// decodedRows is the largest batch for which codes are decoded in registers, in each step again.
const decodedRows = 8

// recurrentFactor returns rows first to first+rows-1 of R.
func recurrentFactor(p *ops.Preparation, q *problem, s *ops.Scratch, first, rows int) (*factor, error) {
	if !q.compressed {
		return newFactor(p, q, s, q.positions.r, first, rows, q.size, q.batch*q.steps)
	}
	return newCodes(p, q, s, first, rows)
}

// newCodes returns rows first to first+rows-1 of R as codes.
func newCodes(p *ops.Preparation, q *problem, s *ops.Scratch, first, rows int) (*factor, error) {
	codes, scale := p.Inputs[q.positions.r].Tensor, p.Inputs[q.positions.scale].Tensor
	if codes == nil || scale == nil || codes.ElementType() != ir.I8 {
		return nil, faults.Errorf("codes are %v, expected constant i8 and a constant scale", p.Inputs[q.positions.r].Type)
	}
	f := &factor{first: first, rows: rows, all: q.gates * q.size, depth: q.size}
	l := lowbit.NewLayout(lowbit.Format{Bits: 8, Signed: true}, rows, f.depth, 1)
	for d := range q.dir {
		from := d*f.all + first
		key := fmt.Sprint("codes ", from, " ", rows, " ", f.depth)
		packed, err := p.Once(codes, key, l.CodesBytes(), func() (any, error) {
			return l.Pack(p.Stop, &lowbit.Source{Bytes: codes.Bytes(), Bits: 8, First: from * f.depth, RowStride: 1, ColStride: f.depth}), p.Stop.Err()
		})
		if err != nil {
			return nil, err
		}
		scales, err := p.Once(scale, key, l.FactorsBytes(), func() (any, error) {
			numbers := ir.Data[float32](scale)[from:]
			return l.PackFactors(p.Stop, func(_, row int) float32 { return numbers[row] }), p.Stop.Err()
		})
		if err != nil {
			return nil, err
		}
		f.codes = append(f.codes, lowbit.New(packed.(*lowbit.Codes), scales.(*lowbit.Factors), lowbit.Same(l.Offset())))
	}
	k := *gemm.New()
	k.KC = max(k.KC/l.Length(), 1) * l.Length() // whole groups
	f.kernel, f.panelsLength = &k, k.PackedLenB(rows, f.depth)+7*k.NR
	// Panels that stay in the cache are expanded once for all steps.
	if f.many = q.batch > decodedRows || q.steps >= fewRows && 4*q.gates*q.size*q.size <= cpu.L2; f.many {
		f.panels = ops.AreaOf[float32](s, q.dir, f.panelsLength)
	}
	return f, nil
}

// expand writes all panels of a matrix with the given depth and columns as numbers.
func expand(r *ops.Run, t *gemm.Tiling, to []float32, w *lowbit.Matrix, depth, columns int) {
	for i := range t.Blocks(depth) {
		block := t.Depth(i, depth)
		for j := 0; j < columns && !r.Stop.Requested(); j += t.NR {
			w.Expand(to[i*t.KC*t.PanelsB(columns)*t.NR+j*block:], t.NR, i*t.KC, block, j, min(j+t.NR, columns))
		}
	}
}

// padRows writes m rows of the given depth to padded as w reads them, unless it reads them where
// they are.
func padRows(w *lowbit.Matrix, padded, in []float32, depth, m int) {
	if n := w.Padded(); n != depth {
		for i := range m {
			w.Pad(padded[i*n:][:n], in[i*depth:][:depth])
		}
	}
}

// multiplyCodes multiplies m rows of the given depth, or what padRows has written of them, by
// blocks lo to hi-1 of w.
func multiplyCodes(r *ops.Run, w *lowbit.Matrix, out []float32, stride int, in, padded []float32, depth, m, lo, hi int) {
	n := w.Padded()
	if n != depth {
		in = padded
	}
	for i := 0; i < m; i += lowbit.MaxRows {
		w.Multiply(r.Stop, out[i*stride:], stride, in[i*n:], n, min(lowbit.MaxRows, m-i), lo, hi)
	}
}
