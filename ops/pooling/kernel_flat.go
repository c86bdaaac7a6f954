package pooling

import (
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/ops"
)

// flat computes the means of rows of a plane as those of one row, for windows that move one column
// at a time and rows that keep their length. Windows at both ends of a row then contain elements of
// other rows, and are computed again.
type flat struct {
	edges []edge
	// runs holds the end of the run of rows that each output row is in. The windows of a run have
	// equally many rows, and start one row after each other.
	runs  []int
	scale []float32 // the factor of each element of an output plane
}

// edge is a column whose windows extend beyond the row: they cover count elements from element
// first on.
type edge struct{ column, first, count int }

// maxFlatScale bounds the number of factors, which are read once for each plane.
const maxFlatScale = 1 << 14

// newFlat returns nil if s does not have such windows, or too many edges or factors. The edges are
// computed one by one, which does not pay for maxima.
func (s *separable) newFlat(p *ops.Preparation) (*flat, error) {
	z, y, x := &s.axes[0], &s.axes[1], &s.axes[2]
	switch {
	case z.Input != 1 || z.Output != 1 || z.Kernel != 1, x.Stride != 1 || x.Input != x.Output || x.Kernel == 1, s.global:
		return nil, nil
	case s.pitch-x.Input > x.Input, s.axes.Output() > maxFlatScale:
		return nil, nil
	}
	size := memory.Sum(memory.Size[edge](s.pitch-x.Input), memory.Size[int](y.Output), memory.Size[float32](s.axes.Output()))
	if err := p.Reserve(size); err != nil {
		return nil, err
	}
	f := &flat{runs: make([]int, y.Output), scale: make([]float32, 0, s.axes.Output())}
	meter := p.Stop.Meter()
	elements := 0
	for column := range x.Output {
		if meter.Spent(4) {
			return nil, parallel.ErrStopped
		}
		if lo, hi, first := x.Clip(column); hi-lo < x.Kernel {
			f.edges = append(f.edges, edge{column, first + lo*x.Dilation, hi - lo})
			if elements += hi - lo; 2*elements > x.Input {
				return nil, nil
			}
		}
	}
	for o := y.Output - 1; o >= 0; o-- {
		if meter.Spent(4) {
			return nil, parallel.ErrStopped
		}
		f.runs[o] = o + 1
		if o+1 < y.Output && s.table[o+1].Count == s.table[o].Count && s.table[o+1].Offset == s.table[o].Offset+x.Input {
			f.runs[o] = f.runs[o+1]
		}
	}
	for oy := range y.Output {
		rows := s.countAlong(0, 0) * s.countAlong(1, oy)
		for ox := range x.Output {
			f.scale = append(f.scale, float32(1/(rows*s.countAlong(2, ox))))
		}
	}
	return f, nil
}

// reduceFlat computes n rows of the output from row first on, counted over all planes. reduced has
// room for n reduced rows, and for the elements of a window before and after them.
func (s *separable) reduceFlat(out, data, reduced []float32, first, n int) {
	f, y, x := s.flat, &s.axes[1], &s.axes[2]
	width := x.Input
	for n > 0 {
		oy := first % y.Output
		end := min(oy+n, y.Output)
		count := (end - oy) * width
		in, sums := data[first/y.Output*y.Input*width:], reduced[x.PadBegin:]
		for o := oy; o < end; {
			to := min(f.runs[o], end)
			s.function.Reduce(sums[(o-oy)*width:], in[s.table[o].Offset:], nil, reduction.Rows{
				N: (to - o) * width, Count: s.table[o].Count, Step: y.Dilation * width, Outputs: 1,
			})
			o = to
		}
		// The elements before the first row and after the last one.
		clear(reduced[:x.PadBegin])
		clear(sums[count:][:s.pitch-width-x.PadBegin])
		scale := f.scale[oy*width:][:count]
		s.function.Reduce(out, reduced, scale, reduction.Rows{N: count, Count: x.Kernel, Step: x.Dilation, Outputs: 1})
		for _, e := range f.edges {
			s.reduceEdge(out[e.column:count], sums[e.first:count], scale, e)
		}
		out, first, n = out[count:], first+end-oy, n-(end-oy)
	}
}

// reduceEdge computes a column of out. rows starts at the first element of the first window.
func (s *separable) reduceEdge(out, rows, scale []float32, e edge) {
	x := &s.axes[2]
	span := (e.count-1)*x.Dilation + 1
	for i := 0; i < len(out); i += x.Input {
		window := rows[i:][:span]
		sum := window[0]
		for k := x.Dilation; k < len(window); k += x.Dilation {
			sum += window[k]
		}
		out[i] = sum * scale[e.column+i]
	}
}
