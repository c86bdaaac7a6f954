package reduce

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/internal/vmath"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// pass joins the middle one of three axes: outer by count by inner. Where count is
// large it is cut into chunks, which the next pass joins.
type pass struct {
	function            reduction.Function
	outer, count, inner int
	chunk, chunks       int
	tile, tiles         int             // of inner
	table               []reduction.Row // of the chunks of an outer position, nil where they are equal
	items               int             // tiles of rows of the output
	to                  int             // where in scratch its output is; -1 for that of the layer
}

const (
	// maxChunk bounds the float32 that are added up without a break: half of their
	// bits are left in any case.
	maxChunk = 1 << 12
	// maxTile is the number of columns that are joined at a time.
	maxTile = 1 << 10
	// Work that makes fewer than shares items is cut into so many chunks, of minChunk at
	// least, for threads to share. They are no more for more threads: sums are the same
	// on any number of them.
	shares, minChunk = 16, 16
)

// folder reduces float32 by passes, the innermost axes first.
type folder struct {
	passes []pass
	kind   kind
	count  []float32                 // how many elements a mean is of
	divide func(out, a, b []float32) // a[i]/b[0]
	root   func(out, x []float32)
	finish func(*ops.Run, []float32, int)
}

// functionOf returns what a pass joins by: the first one, or one behind it.
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

// newPasses returns the passes for a walk of elements.
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

// cut says what of a pass is done at a time.
func (p *pass) cut() {
	p.tile, p.chunk = min(p.inner, maxTile), min(p.count, maxChunk)
	p.tiles = (p.inner-1)/p.tile + 1
	if p.outer*p.tiles < shares && p.count*p.inner >= 2*minPart {
		p.chunk = min(p.chunk, max((p.count-1)/shares+1, minChunk))
	}
	p.chunks = (p.count-1)/p.chunk + 1
	if p.count%p.chunk != 0 && p.chunks > 1 {
		p.table = make([]reduction.Row, p.chunks)
		for i := range p.table {
			p.table[i] = reduction.Row{Count: min(p.chunk, p.count-i*p.chunk)}
		}
	}
	p.items = p.outer * p.chunks * p.tiles
}

// output returns the number of elements that the pass makes.
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

// rows computes n columns of rows lo to hi-1 of the output, of which chunks are of
// one position of outer.
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
				equal-- // the last one is shorter
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

// foldKernel returns the kernel of float32, for data of some elements.
func foldKernel(p *ops.Preparation, k kind, w walk) *ops.Prepared {
	f := &folder{passes: newPasses(k, &w), kind: k, count: []float32{float32(w.count)}, finish: p.Finish()}
	f.pickCode()
	elements := 0
	if len(f.passes) == 0 { // no axis is reduced
		one := pass{function: functionOf(k, true), outer: w.targets, count: 1, inner: 1}
		one.cut()
		f.passes = []pass{one}
	}
	last := len(f.passes) - 1
	for i := range f.passes[:last] {
		f.passes[i].to = elements
		elements += f.passes[i].output()
	}
	f.passes[last].to = -1
	parts, grains := make([]ops.Part, last+1), make([]int, last+1)
	for i := range f.passes {
		s := &f.passes[i]
		parts[i] = f.part(i)
		grains[i] = minPart/max(s.chunk*s.tile, 1) + 1
	}
	kernel := func(r *ops.Run) error {
		for i := range parts {
			if err := r.For(f.passes[i].items, grains[i], parts[i]); err != nil {
				return err
			}
		}
		return nil
	}
	tableBytes := 0
	for i := range f.passes {
		tableBytes += len(f.passes[i].table) * int(unsafe.Sizeof(reduction.Row{}))
	}
	return &ops.Prepared{Kernel: kernel, ScratchBytes: 4 * elements, TableBytes: int64(tableBytes)}
}

func (f *folder) part(i int) ops.Part {
	s := &f.passes[i]
	return func(r *ops.Run, lo, hi int) error {
		in := ir.Data[float32](r.Inputs[0])
		if i > 0 {
			in = cast.Bytes[float32](r.Scratch)[f.passes[i-1].to:]
		}
		if s.to >= 0 {
			s.run(cast.Bytes[float32](r.Scratch)[s.to:], in, lo, hi)
			return nil
		}
		out := ir.Data[float32](r.Outputs[0])
		s.run(out, in, lo, hi)
		if s.tiles == 1 {
			f.complete(r, out, lo*s.inner, hi*s.inner)
			return nil
		}
		for t := lo; t < hi; t++ {
			at := t/s.tiles*s.inner + t%s.tiles*s.tile
			f.complete(r, out, at, at+min(s.tile, s.inner-t%s.tiles*s.tile))
		}
		return nil
	}
}

// complete makes elements lo to hi-1 of the output of what the passes made.
func (f *folder) complete(r *ops.Run, out []float32, lo, hi int) {
	x := out[lo:hi]
	switch f.kind {
	case mean:
		f.divide(x, x, f.count)
	case l2:
		f.root(x, x)
	}
	if f.finish != nil {
		f.finish(r, x, lo)
	}
}

// pickCode looks up vector code, which kernels must not do.
func (f *folder) pickCode() {
	if f.divide = vmath.Binary(vmath.Divide, vmath.ScalarB); f.divide == nil {
		f.divide = func(out, a, b []float32) {
			for i, v := range a {
				out[i] = v / b[0]
			}
		}
	}
	if f.root = vmath.Unary(vmath.Sqrt); f.root == nil {
		f.root = func(out, x []float32) {
			for i, v := range x {
				out[i] = float32(math.Sqrt(float64(v)))
			}
		}
	}
}
