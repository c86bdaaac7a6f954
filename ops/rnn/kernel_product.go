package rnn

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/lowbit"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// fewRows is the number of rows below which a product reads the weights as they are: to pack them
// pays only if they are read several times.
const fewRows = 4

// factor is rows of W or R. Products multiply by their transpose:
//
//	out[m,j] = sum over k of in[m,k] * weights[d, first+j, k]
type factor struct {
	kernel      *gemm.FloatKernel
	first, rows int
	all         int // rows of a direction in the weights
	depth       int
	// the products have fewRows rows or more, and use packed weights
	many   bool
	packed []*gemm.Packed[float32] // of each direction, if the weights are constant
	// where the weights are packed otherwise, for all directions
	panels       ops.Area[float32]
	panelsLength int              // of a direction
	codes        []*lowbit.Matrix // of each direction, if the weights have 8 bits
}

// newFactor returns rows first to first+rows-1 of the weights at an input. All products together
// have m rows.
func newFactor(p *ops.Preparation, q *problem, s *ops.Scratch, port, first, rows, depth, m int) (*factor, error) {
	f := &factor{kernel: gemm.New(), first: first, rows: rows, all: q.gates * q.size, depth: depth, many: m >= fewRows && depth > 0 && rows > 0}
	if !f.many {
		return f, nil
	}
	f.panelsLength = f.kernel.PackedLenB(rows, depth)
	weights := p.Inputs[port].Tensor
	if weights == nil || q.isHalf() {
		f.panels = ops.AreaOf[float32](s, q.dir, f.panelsLength)
		return f, nil
	}
	var err error
	key := fmt.Sprint("weights ", f.kernel, q.dir, " ", first, " ", rows, " ", depth)
	size := int64(q.elementType.Size()) * int64(q.dir) * int64(f.panelsLength)
	packed, err := p.Once(weights, key, size, func() (any, error) {
		var list []*gemm.Packed[float32]
		for d := range q.dir {
			list = append(list, f.kernel.PackAllB(p.Stop, f.matrix(ir.Data[float32](weights), d), rows, depth))
		}
		return list, p.Stop.Err()
	})
	if err != nil {
		return nil, err
	}
	f.packed = packed.([]*gemm.Packed[float32])
	return f, nil
}

// matrix returns the transpose of the rows for a direction.
func (f *factor) matrix(weights []float32, d int) gemm.Matrix[float32] {
	return gemm.Matrix[float32]{Data: weights[(d*f.all+f.first)*f.depth:], RowStride: 1, ColStride: f.depth}
}

// pack packs the weights of a direction, if that was not done by newFactor.
func (f *factor) pack(r *ops.Run, weights []float32, d int) {
	if !f.many || f.packed != nil {
		return
	}
	panels := f.panels.In(r)[d*f.panelsLength:][:f.panelsLength]
	if f.codes != nil {
		expand(r, &f.kernel.Tiling, panels, f.codes[d], f.depth, f.rows)
		return
	}
	lines := f.kernel.PanelsB(f.rows)
	for i := range f.kernel.Blocks(f.depth) {
		f.kernel.PackSomeB(r.Stop, panels[i*f.kernel.KC*lines*f.kernel.NR:], f.matrix(weights, d), f.rows, f.depth, i, 0, lines)
	}
}

// block returns block i of the packed weights of a direction.
func (f *factor) block(r *ops.Run, d, i int) []float32 {
	if f.packed != nil {
		return f.packed[d].Block(i)
	}
	return f.panels.In(r)[d*f.panelsLength+i*f.kernel.KC*f.kernel.PanelsB(f.rows)*f.kernel.NR:]
}

// packIn packs panels lo to hi-1 of m rows of in.
func (f *factor) packIn(stop parallel.Stop, to, in []float32, m, lo, hi int) {
	a := gemm.Matrix[float32]{Data: in, RowStride: f.depth, ColStride: 1}
	for i := range f.kernel.Blocks(f.depth) {
		f.kernel.PackSomeA(stop, to[f.blockIn(m, i):], a, m, f.depth, i, lo, hi)
	}
}

// blockIn returns where block i of m packed rows starts.
func (f *factor) blockIn(m, i int) int { return i * f.kernel.KC * f.kernel.PanelsA(m) * f.kernel.MR }

// multiply computes columns lo to hi-1 of the product of m rows, as packIn has packed them. lo is a
// multiple of the width of a panel. Row i of the result starts at out[i*stride].
func (f *factor) multiply(r *ops.Run, out []float32, stride int, packed []float32, d, m, lo, hi int) {
	// A piece of the columns is about a million multiplications.
	step := max((1<<20)/(m*f.kernel.KC)/f.kernel.NR, 1) * f.kernel.NR
	for ; lo < hi; lo += step {
		for i := range f.kernel.Blocks(f.depth) {
			if r.Stop.Requested() {
				return
			}
			f.kernel.Multiply(&gemm.FloatProduct{C: out, LDC: stride, A: packed[f.blockIn(m, i):], B: f.block(r, d, i), Depth: f.depth, Block: i, MHi: m, NLo: lo, NHi: min(lo+step, hi)})
		}
	}
}

// multiplyRow computes columns lo to hi-1 of the product of one row.
func (f *factor) multiplyRow(stop parallel.Stop, out, in, weights []float32, d, lo, hi int) {
	if lo < hi {
		gemm.Row(stop, out[:f.rows], in[:f.depth], f.matrix(weights, d), lo, hi)
	}
}

// multiplyAll computes the product of m rows, with memory for them packed or padded.
func (f *factor) multiplyAll(r *ops.Run, out []float32, stride int, in, weights, packed []float32, d, m int) {
	f.ready(r.Stop, packed, in, m)
	f.multiplyUnits(r, out, stride, in, weights, packed, d, m, 0, f.units())
}

// units returns the number of pieces that a product can be divided into: groups of columns.
func (f *factor) units() int {
	switch {
	case f.many:
		return f.kernel.PanelsB(f.rows)
	case f.codes != nil:
		return f.codes[0].Blocks()
	}
	return f.rows
}

// unitColumns returns the number of columns of a unit.
func (f *factor) unitColumns() int { return (f.rows + f.units() - 1) / f.units() }

// ready packs or pads m rows of in for multiplyUnits.
func (f *factor) ready(stop parallel.Stop, packed, in []float32, m int) {
	switch {
	case f.many:
		f.packIn(stop, packed, in, m, 0, f.kernel.PanelsA(m))
	case f.codes != nil:
		padRows(f.codes[0], packed, in, f.depth, m)
	}
}

// multiplyUnits computes units lo to hi-1 of the product of m rows, which ready has seen.
func (f *factor) multiplyUnits(r *ops.Run, out []float32, stride int, in, weights, packed []float32, d, m, lo, hi int) {
	switch {
	case f.many:
		f.multiply(r, out, stride, packed, d, m, lo*f.kernel.NR, min(hi*f.kernel.NR, f.rows))
	case f.codes != nil:
		multiplyCodes(r, f.codes[d], out, stride, in, packed, f.depth, m, lo, hi)
	default:
		for i := range m {
			f.multiplyRow(r.Stop, out[i*stride:], in[i*f.depth:], weights, d, lo, hi)
		}
	}
}
