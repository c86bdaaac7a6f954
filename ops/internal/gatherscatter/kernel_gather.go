package gatherscatter

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Gather describes a gather operation. data has shape [Batch, Outer, Length], where each
// element is a row of N elements, indices has shape [Batch, Count], and the output has shape
// [Batch, Outer, Count]:
//
//	out[b, o, j] = data[b, o, indices[b, j]]
//
// If Negative is true, negative indices count from the end. An index that is out of range
// yields a row of zeros.
type Gather struct {
	Batch, Outer, Length, Count, N int
	Negative                       bool
}

// Rows returns the number of rows of the output.
func (g *Gather) Rows() int { return g.Batch * g.Outer * g.Count }

// GatherKernel returns the kernel that computes g from input 0, data, which has element type t. The
// fields of g other than N can change between runs.
func GatherKernel[I index.Integer](g *Gather, t ir.ElementType, indices Indices[I]) ops.Kernel {
	l := NewLayout(t, g.N)
	if l.Kind.Size() == 0 {
		return func(r *ops.Run) error {
			if indices.Check != nil {
				if err := indices.Check(r); err != nil {
					return err
				}
			}
			g.singly(r, func(i int) int { return index.Resolve(indices.Get(r)[i], g.Length, g.Negative) })
			return nil
		}
	}
	aligned, unaligned := gatherPart(g, moverOf[I](l), indices), gatherPart(g, mover[I]{size: l.RowBytes()}, indices)
	grain := Grain(l.RowBytes())
	return func(r *ops.Run) error {
		if indices.Check != nil {
			if err := indices.Check(r); err != nil {
				return err
			}
		}
		if r.Outputs[0].Len() == 0 {
			return nil
		}
		if l.Kind.Aligned(r.Outputs[0], r.Inputs[dataPort]) {
			return r.For(g.Rows(), grain, aligned)
		}
		return r.For(g.Rows(), grain, unaligned)
	}
}

// gatherPart returns the part of the kernel that moves rows by m.
func gatherPart[I index.Integer](g *Gather, m mover[I], indices Indices[I]) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		gatherRows(r.Stop, g, m, r.Outputs[0].Bytes(), r.Inputs[dataPort].Bytes(), indices.Get(r), lo, hi)
		return nil
	}
}

// gatherRows computes rows lo to hi-1 of the output of g. It ends early if stop is requested.
func gatherRows[I index.Integer](stop parallel.Stop, g *Gather, m mover[I], out, data []byte, indices []I, lo, hi int) {
	if m.gather != nil && g.Length > 0 {
		m.gather(g, out, data, indices, lo, hi)
		return
	}
	for lo < hi {
		o, j := lo/g.Count, lo%g.Count
		n := min(hi-lo, g.Count-j)
		takeRows(stop, out[lo*m.size:], data[o*g.Length*m.size:][:g.Length*m.size], m.size, indices[o/g.Outer*g.Count+j:][:n], g.Negative)
		lo += n
	}
}

// gatherUnits is gatherRows for rows that are one unit of type T. g.Length must not be 0.
func gatherUnits[T any, I index.Integer](g *Gather, out, data []T, indices []I, lo, hi int) {
	if g.Count <= fewIndices {
		lo = takeFew(g, out, data, indices, lo, hi)
	}
	for lo < hi {
		o, j := lo/g.Count, lo%g.Count
		n := min(hi-lo, g.Count-j)
		from := o/g.Outer*g.Count + j
		take(out[lo:], data[o*g.Length:(o+1)*g.Length], indices[from:from+n], g.Negative)
		lo += n
	}
}

// fewIndices is the greatest number of indices for which a call of take takes longer than the
// copies of its elements.
const fewIndices = 16

// takeFew is gatherUnits if lo is the first of Count rows. It computes whole groups of Count rows
// and returns the row at which it stopped. It stops before a group with an index that is out of
// range.
func takeFew[T any, I index.Integer](g *Gather, out, data []T, indices []I, lo, hi int) int {
	if lo%g.Count != 0 {
		return lo
	}
	var at [fewIndices]int
	for lo+g.Count <= hi {
		o := lo / g.Count
		batch := o / g.Outer
		for j, v := range indices[batch*g.Count : (batch+1)*g.Count] {
			if at[j] = index.Resolve(v, g.Length, g.Negative); at[j] < 0 {
				return lo
			}
		}
		last := min((batch+1)*g.Outer, hi/g.Count)
		for ; o < last; o++ {
			slab, to := data[o*g.Length:(o+1)*g.Length], out[o*g.Count:(o+1)*g.Count]
			for j, i := range at[:len(to)] {
				to[j] = slab[i]
			}
		}
		lo = o * g.Count
	}
	return lo
}

// singly computes g for strings and elements of less than a byte, one by one. resolve returns the
// row that an index refers to, or -1. singly runs on one thread because neighbouring elements share
// bytes.
func (g *Gather) singly(r *ops.Run, resolve func(i int) int) {
	out, data := r.Outputs[0], r.Inputs[dataPort]
	parallel.Clear(r.Stop, out.Bytes()) // also the bits after the last element
	parallel.Clear(r.Stop, out.Strings())
	meter := r.Stop.Meter()
	for i := range g.Rows() {
		if meter.Spent(8 * (g.N + 1)) {
			return
		}
		o, j := i/g.Count, i%g.Count
		at := resolve(o/g.Outer*g.Count + j)
		if at < 0 {
			continue
		}
		copyRow(out, data, i, o*g.Length+at, g.N)
	}
}

// copyRow copies a row of n strings or elements of less than a byte, each by its number.
func copyRow(to, from *ir.Tensor, toRow, fromRow, n int) {
	if texts := to.Strings(); texts != nil {
		copy(texts[toRow*n:][:n], from.Strings()[fromRow*n:])
		return
	}
	for k := range n {
		to.SetPacked(toRow*n+k, from.Packed(fromRow*n+k))
	}
}
