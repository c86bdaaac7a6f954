package reduce

import (
	"math"

	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// pass reduces the middle axis of an array of shape [outer, count, inner]. If count is
// large, the axis is split into chunks, and the next pass reduces the results of the chunks.
type pass struct {
	function            reduction.Function
	outer, count, inner int
	chunk, chunks       int
	tile, tiles         int // columns of a tile of inner, and the number of tiles
	// rows of the chunks of one outer position; nil if all have chunk rows
	table []reduction.Row
	items int // tiles of all output rows
	// the output in the scratch memory, unless it is output 0 of the layer
	to ops.Area[float32]
}

const (
	// maxChunk bounds the number of float32 values that one accumulator adds up, so that
	// at least half of the bits of each value count.
	maxChunk = 1 << 12
	// maxTile is the number of columns that are reduced at a time.
	maxTile = 1 << 10
	// If a pass of minSplit elements or more has fewer than shares items, it is split into up to
	// shares chunks of at least minChunk rows, for threads to share. The split does not depend on
	// the number of threads, so sums do not either.
	shares, minSplit, minChunk = 16, 1 << 16, 16
)

// reducer reduces float32 in passes, the innermost axes first.
type reducer struct {
	passes []pass
	kind   kind
	count  []float32                 // the number of elements of a mean, in a slice for divide
	divide func(out, a, b []float32) // a[i]/b[0]
	root   func(out, x []float32)
	finish func(*ops.Run, []float32, int)
}

// functionOf returns the function of the first pass, or of a later one.
func functionOf(k kind, first bool) reduction.Function {
	switch {
	case k == prod:
		return reduction.Product
	case k == maximum:
		return reduction.Max
	case k == minimum:
		return reduction.Min
	case k == l1 && first:
		return reduction.SumAbs
	case k == l2 && first:
		return reduction.SumSquares
	}
	return reduction.Sum
}

// newPasses returns the passes for w. There are none if no axis is reduced.
func newPasses(k kind, w *walk) []pass {
	lengths, kept := []int{w.run}, []bool{!w.runReduced}
	for i, n := range w.lengths {
		lengths, kept = append(lengths, n), append(kept, w.strides[i] != 0)
	}
	outer := 1
	for _, n := range lengths {
		outer *= n
	}
	var passes []pass
	inner := 1
	add := func(count int) {
		for {
			p := pass{function: functionOf(k, len(passes) == 0), outer: outer, count: count, inner: inner}
			p.cut()
			passes = append(passes, p)
			if count = p.chunks; count == 1 {
				return
			}
		}
	}
	for i, n := range lengths {
		outer /= n
		if kept[i] {
			inner *= n
		} else {
			add(n)
		}
	}
	return passes
}

// cut splits the pass into chunks and tiles.
func (p *pass) cut() {
	p.tile, p.chunk = min(p.inner, maxTile), min(p.count, maxChunk)
	p.tiles = (p.inner-1)/p.tile + 1
	if p.outer*p.tiles < shares && p.count*p.inner >= minSplit {
		p.chunk = min(p.chunk, max((p.count-1)/shares+1, minChunk))
	}
	p.chunks = (p.count-1)/p.chunk + 1
	p.items = p.outer * p.chunks * p.tiles
}

// fillTable makes the table of a pass whose chunks are not equal.
func (p *pass) fillTable(reserve func(bytes int64) error) error {
	if p.count%p.chunk == 0 || p.chunks == 1 {
		return nil
	}
	if err := reserve(memory.Size[reduction.Row](p.chunks)); err != nil {
		return err
	}
	p.table = make([]reduction.Row, p.chunks)
	for i := range p.table {
		p.table[i] = reduction.Row{Count: min(p.chunk, p.count-i*p.chunk)}
	}
	return nil
}

// output returns the number of elements of the output of the pass.
func (p *pass) output() int { return p.outer * p.chunks * p.inner }

// run computes items lo to hi-1.
func (p *pass) run(out, in []float32, lo, hi int) {
	if p.tiles > 1 {
		for i := lo; i < hi; i++ {
			row, column := i/p.tiles, i%p.tiles*p.tile
			p.rows(out[column:], in[column:], row, row+1, min(p.tile, p.inner-column))
		}
		return
	}
	p.rows(out, in, lo, hi, p.inner)
}

// rows computes n columns of rows lo to hi-1 of the output. Each outer position has
// p.chunks output rows.
func (p *pass) rows(out, in []float32, lo, hi, n int) {
	for lo < hi {
		o, c := lo/p.chunks, lo%p.chunks
		outs, table := hi-lo, []reduction.Row(nil)
		if p.table != nil {
			outs = min(p.chunks-c, outs)
			table = p.table[c : c+outs]
		}
		to, from := out[lo*p.inner:], in[(o*p.count+c*p.chunk)*p.inner:]
		if p.inner == 1 {
			equal := outs
			if table != nil && c+outs == p.chunks {
				equal-- // the last chunk is shorter
				p.function.ReduceSegments(to[equal:outs], from[equal*p.chunk:], table[equal].Count, 0)
			}
			p.function.ReduceSegments(to[:equal], from, p.chunk, p.chunk)
		} else {
			p.function.Reduce(to, from, nil, reduction.Rows{
				N: n, Count: p.chunk, Step: p.inner, Outputs: outs, InPitch: p.chunk * p.inner, OutPitch: p.inner, Table: table,
			})
		}
		lo += outs
	}
}

// passesKernel returns the kernel of float32. The data must not be empty.
func passesKernel(p *ops.Preparation, k kind, w walk) (*ops.Prepared, error) {
	rd := &reducer{passes: newPasses(k, &w), kind: k, count: []float32{float32(w.count)}, finish: p.Finish()}
	rd.pickCode()
	var scratch ops.Scratch
	if len(rd.passes) == 0 { // no axis is reduced
		one := pass{function: functionOf(k, true), outer: w.targets, count: 1, inner: 1}
		one.cut()
		rd.passes = []pass{one}
	}
	last := len(rd.passes) - 1
	for i := range rd.passes[:last] {
		rd.passes[i].to = ops.AreaOf[float32](&scratch, rd.passes[i].output())
	}
	parts, grains := make([]ops.Part, last+1), make([]int, last+1)
	for i := range rd.passes {
		s := &rd.passes[i]
		if err := s.fillTable(p.Reserve); err != nil {
			return nil, err
		}
		parts[i] = rd.part(i)
		grains[i] = ops.Grain(elementCost * float64(s.chunk*s.tile))
	}
	kernel := func(r *ops.Run) error {
		for i := range parts {
			if err := r.For(rd.passes[i].items, grains[i], parts[i]); err != nil {
				return err
			}
		}
		return nil
	}
	return &ops.Prepared{Kernel: kernel, ScratchBytes: scratch.Bytes()}, nil
}

// part returns the code of pass i.
func (rd *reducer) part(i int) ops.Part {
	s := &rd.passes[i]
	return func(r *ops.Run, lo, hi int) error {
		in := ir.Data[float32](r.Inputs[0])
		if i > 0 {
			in = rd.passes[i-1].to.In(r)
		}
		if i < len(rd.passes)-1 {
			s.run(s.to.In(r), in, lo, hi)
			return nil
		}
		out := ir.Data[float32](r.Outputs[0])
		s.run(out, in, lo, hi)
		if s.tiles == 1 {
			rd.complete(r, out, lo*s.inner, hi*s.inner)
			return nil
		}
		for t := lo; t < hi; t++ {
			at := t/s.tiles*s.inner + t%s.tiles*s.tile
			rd.complete(r, out, at, at+min(s.tile, s.inner-t%s.tiles*s.tile))
		}
		return nil
	}
}

// complete turns elements lo to hi-1 of the last pass's result into those of the output.
func (rd *reducer) complete(r *ops.Run, out []float32, lo, hi int) {
	x := out[lo:hi]
	switch rd.kind {
	case mean:
		rd.divide(x, x, rd.count)
	case l2:
		rd.root(x, x)
	}
	if rd.finish != nil {
		rd.finish(r, x, lo)
	}
}

// pickCode selects vector code. It is called by Prepare, because kernels must not do that.
func (rd *reducer) pickCode() {
	if rd.divide = vmath.Binary(vmath.Divide, vmath.ScalarB); rd.divide == nil {
		rd.divide = func(out, a, b []float32) {
			for i, v := range a {
				out[i] = v / b[0]
			}
		}
	}
	if rd.root = vmath.Unary(vmath.Sqrt); rd.root == nil {
		rd.root = func(out, x []float32) {
			for i, v := range x {
				out[i] = float32(math.Sqrt(float64(v)))
			}
		}
	}
}
