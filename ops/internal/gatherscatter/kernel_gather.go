package gatherscatter

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Gather describes a gather operation. data has shape [Batch, Outer, Length], where each
// element is a row of N units, indices has shape [Batch, Count], and the output has shape
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

// GatherKernel returns the kernel that computes g from input 0, data, which has element type t.
// N counts elements here, not units.
func GatherKernel[I index.Integer](g Gather, t ir.ElementType, indices Indices[I]) ops.Kernel {
	l := NewLayout(t, g.N)
	g.N = l.N
	switch l.Kind {
	case Strings:
		return gatherOf(g, l, indices, (*ir.Tensor).Strings)
	case U8:
		return gatherOf(g, l, indices, (*ir.Tensor).Bytes)
	case U16:
		return gatherOf(g, l, indices, Elements[uint16])
	case U32:
		return gatherOf(g, l, indices, Elements[uint32])
	case U64:
		return gatherOf(g, l, indices, Elements[uint64])
	case U96:
		return gatherOf(g, l, indices, Elements[Uint96])
	case U128:
		return gatherOf(g, l, indices, Elements[Uint128])
	}
	return func(r *ops.Run) error {
		if indices.Check != nil {
			if err := indices.Check(r); err != nil {
				return err
			}
		}
		takePacked(r.Stop, &g, r.Outputs[0], r.Inputs[dataPort], indices.Get(r))
		return nil
	}
}

// gatherOf returns the kernel for units of type T.
func gatherOf[T any, I index.Integer](g Gather, l Layout, indices Indices[I], elements func(*ir.Tensor) []T) ops.Kernel {
	aligned := func(r *ops.Run, lo, hi int) error {
		gatherRows(r.Stop, &g, elements(r.Outputs[0]), elements(r.Inputs[dataPort]), indices.Get(r), lo, hi)
		return nil
	}
	bytes := g
	bytes.N = l.RowBytes()
	unaligned := func(r *ops.Run, lo, hi int) error {
		gatherRows(r.Stop, &bytes, r.Outputs[0].Bytes(), r.Inputs[dataPort].Bytes(), indices.Get(r), lo, hi)
		return nil
	}
	n, grain := g.Rows(), Grain(l.RowBytes())
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
			return r.For(n, grain, aligned)
		}
		return r.For(n, grain, unaligned)
	}
}

// longRow is the number of units of a row above which a row is copied in pieces.
const longRow = 1 << 18

// gatherRows is GatherRows, and ends early if stop is requested.
func gatherRows[T any, I index.Integer](stop parallel.Stop, g *Gather, out, data []T, indices []I, lo, hi int) {
	if g.N <= longRow || g.Length == 0 {
		GatherRows(g, out, data, indices, lo, hi)
		return
	}
	for ; lo < hi; lo++ {
		o, j := lo/g.Count, lo%g.Count
		row := out[lo*g.N:][:g.N]
		at := index.Resolve(indices[o/g.Outer*g.Count+j], g.Length, g.Negative)
		if at < 0 {
			parallel.Clear(stop, row)
			continue
		}
		parallel.Copy(stop, row, data[(o*g.Length+at)*g.N:])
	}
}

// GatherRows computes rows lo to hi-1 of the output of g.
func GatherRows[T any, I index.Integer](g *Gather, out, data []T, indices []I, lo, hi int) {
	slab := g.Length * g.N
	if slab == 0 {
		clear(out[lo*g.N : hi*g.N])
		return
	}
	if g.Count <= fewIndices && g.N == 1 {
		lo = takeFew(g, out, data, indices, lo, hi)
	}
	for lo < hi {
		o, j := lo/g.Count, lo%g.Count
		n := min(hi-lo, g.Count-j)
		from := o/g.Outer*g.Count + j
		Take(out[lo*g.N:], data[o*slab:(o+1)*slab], g.N, indices[from:from+n], g.Negative)
		lo += n
	}
}

// fewIndices is the greatest number of indices for which a call of Take takes longer than the
// copies of its elements.
const fewIndices = 16

// takeFew is GatherRows for units of one element, if lo is the first of Count rows. It computes
// whole groups of Count rows and returns the row at which it stopped. It stops before a group
// with an index that is out of range.
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

// takePacked is GatherRows for elements of less than a byte. It runs on one thread because
// neighbouring elements share bytes.
func takePacked[I index.Integer](stop parallel.Stop, g *Gather, out, data *ir.Tensor, indices []I) {
	parallel.Clear(stop, out.Bytes()) // also the bits after the last element
	meter := stop.Meter()
	for i := range g.Rows() {
		if meter.Spent(8 * (g.N + 1)) {
			return
		}
		o, j := i/g.Count, i%g.Count
		at := index.Resolve(indices[o/g.Outer*g.Count+j], g.Length, g.Negative)
		if at < 0 {
			continue
		}
		from := (o*g.Length + at) * g.N
		for k := range g.N {
			out.SetPacked(i*g.N+k, data.Packed(from+k))
		}
	}
}
