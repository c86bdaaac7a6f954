package pooling

import (
	"math"

	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/ops"
)

// separable pools float32 axis by axis: it reduces the rows of a window to one row, puts
// padding at both ends of that row, and then reduces the columns of the row to one
// element. If windows have several planes, it first reduces these to one plane.
type separable struct {
	*geometry
	function reduction.Function
	padValue float32 // of padding elements
	pitch    int     // distance between reduced rows
	rows     int     // reduced rows that are computed at a time
	// elements of an input plane if windows have several planes; 0 otherwise
	volume int
	global bool            // the window is the whole plane
	direct bool            // a window is part of one row without padding
	table  []reduction.Row // input rows of each output row, for one output plane or several
	// ScaleOffset of each row of table, by output plane; nil if all are 0
	scaleTables [][]reduction.Row
	scale       []float32 // factors of sums; nil for maxima
	flat        *flat     // instead of scale and scaleTables, if it is not nil
	// maxima, if it is not nil, computes the maxima in one step, unless there is a NaN.
	maxima *reduction.FloatMaxima
	// scales and scaleRows are the numbers of rows of scale and of different scaleTables.
	scales, scaleRows int
}

const (
	// blockElements is the number of elements of the reduced rows. They fit the L1 cache.
	blockElements = 1 << 12
	// maxScales bounds the number of rows of scale factors.
	maxScales = 64
	// maxTableBytes bounds the tables of one layer. The portable loops need none.
	maxTableBytes = 8 << 20
)

// maxCall is the largest number of elements that one call of package reduction reads. Such a call
// cannot be stopped; it takes some milliseconds, or some tens of them without assembly.
const maxCall = 1 << 25

// isShort reports whether all calls of package reduction read at most maxCall elements.
func (s *separable) isShort() bool {
	z, y, x := &s.axes[0], &s.axes[1], &s.axes[2]
	rows, plane := float64(s.rows), float64(y.Input)*float64(x.Input)
	if s.global {
		return rows*plane*float64(z.Input) <= maxCall
	}
	return rows*float64(x.Output)*float64(x.Kernel) <= maxCall && rows*float64(s.pitch)*float64(min(y.Kernel, y.Input)) <= maxCall &&
		(z.Kernel == 1 || plane*float64(min(z.Kernel, z.Input)) <= maxCall)
}

// newSeparable returns nil if the portable loops must compute the layer: if a window covers
// no element, if windows extend far beyond the input or are too large for maxCall, or if means need
// too many factors or tables.
func newSeparable(p *ops.Preparation, g *geometry, mean bool) (*separable, error) {
	s := &separable{geometry: g, function: reduction.Max, padValue: float32(math.Inf(-1))}
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	if g.planes == 0 || g.axes.Input() == 0 {
		return nil, nil
	}
	meter := p.Stop.Meter()
	for i := range g.axes {
		a := &g.axes[i]
		for o := range a.Output {
			if meter.Spent(4) {
				return nil, parallel.ErrStopped
			}
			if lo, hi, _ := a.Clip(o); lo == hi {
				return nil, nil
			}
		}
	}
	s.pitch = (x.Output-1)*x.Stride + (x.Kernel-1)*x.Dilation + 1
	if s.pitch > 4*(x.Input+x.Output)+64 {
		return nil, nil
	}
	s.rows = max(blockElements/s.pitch, 1)
	s.global, s.direct = g.axes.Output() == 1, x.PadBegin == 0 && s.pitch <= x.Input
	for i := range g.axes {
		a := &g.axes[i]
		s.global = s.global && a.PadBegin == 0 && a.Dilation == 1 && a.Kernel == a.Input
		s.direct = s.direct && (i == 2 || a.Kernel == 1 && a.Output == a.Input && a.PadBegin == 0 && a.Stride == 1)
	}
	if !s.isShort() {
		return nil, nil
	}
	together := 1 // planes whose rows one call of Reduce computes
	if z.Input == 1 && z.Output == 1 && z.Kernel == 1 {
		together = max(min(s.rows/y.Output, g.planes), 1)
	}
	size := memory.Size[reduction.Row](together, y.Output)
	if mean {
		s.countScales()
		size = memory.Sum(size, memory.Size[reduction.Row](s.scaleRows, together, y.Output), memory.Size[float32](s.scales, x.Output), memory.Size[[]reduction.Row](z.Output))
	}
	if s.scales > maxScales || size > maxTableBytes {
		return nil, nil
	}
	if err := p.Reserve(size); err != nil {
		return nil, err
	}
	s.table = make([]reduction.Row, together*y.Output)
	for o := range s.table { // Offset counts from the start of the first input plane
		lo, hi, first := y.Clip(o % y.Output)
		s.table[o] = reduction.Row{Offset: (o/y.Output*y.Input + first + lo*y.Dilation) * x.Input, Count: hi - lo}
	}
	if mean {
		s.function, s.padValue = reduction.Sum, 0
		var err error
		if s.flat, err = s.newFlat(p); err != nil {
			return nil, err
		}
		if s.flat == nil {
			s.fillScales()
		}
	}
	if z.Kernel > 1 {
		s.volume = y.Input * x.Input
	}
	if !mean && !s.global && !s.direct && z.Input == 1 && z.Output == 1 && z.Kernel == 1 {
		if err := p.Reserve(reduction.FloatMaximaTableBytes(g.windows(2))); err != nil {
			return nil, err
		}
		s.maxima = reduction.NewFloatMaxima(g.windows(1), g.windows(2))
	}
	return s, nil
}

// countAlong returns the number of elements of window o along an axis that a mean counts.
func (s *separable) countAlong(axis, o int) float64 {
	if s.excludePad {
		lo, hi, _ := s.axes[axis].Clip(o)
		return float64(hi - lo)
	}
	return s.padded(axis, o)
}

// countScales sets scales and scaleRows to the numbers of rows of factors and of tables of them
// that fillScales needs. It may stop when scales is more than maxScales.
func (s *separable) countScales() {
	z, y := &s.axes[0], &s.axes[1]
	counts := map[float64]bool{} // of the rows of a plane
	for oy := range y.Output {
		if counts[s.countAlong(1, oy)] = true; len(counts) > maxScales {
			break
		}
	}
	planes, products := map[float64]bool{}, map[float64]bool{}
	for oz := range z.Output {
		n := s.countAlong(0, oz)
		if planes[n] {
			continue
		}
		planes[n] = true
		for rows := range counts {
			products[n*rows] = true
		}
		if len(products) > maxScales {
			break
		}
	}
	s.scales = len(products)
	if s.scales > 1 {
		s.scaleRows = len(planes)
	}
}

// fillScales sets scale and scaleTables, whose factors turn sums into means.
func (s *separable) fillScales() {
	z, y, x := &s.axes[0], &s.axes[1], &s.axes[2]
	// offset in scale, by the number of elements of a window column
	at := map[float64]int{}
	tables := map[float64][]reduction.Row{} // by the number of planes of a window
	factors := func(n float64) int {
		if _, ok := at[n]; !ok {
			at[n] = len(s.scale)
			for ox := range x.Output {
				s.scale = append(s.scale, float32(1/(n*s.countAlong(2, ox))))
			}
		}
		return at[n]
	}
	s.scale = make([]float32, 0, s.scales*x.Output)
	if s.scales == 1 {
		factors(s.countAlong(0, 0) * s.countAlong(1, 0))
		return
	}
	s.scaleTables = make([][]reduction.Row, z.Output)
	for oz := range s.scaleTables {
		planes := s.countAlong(0, oz)
		if tables[planes] == nil {
			table := make([]reduction.Row, len(s.table))
			for oy := range table {
				table[oy] = reduction.Row{Count: x.Kernel, ScaleOffset: factors(planes * s.countAlong(1, oy%y.Output))}
			}
			tables[planes] = table
		}
		s.scaleTables[oz] = tables[planes]
	}
}

// scratch returns the number of elements of scratch memory.
func (s *separable) scratch() int {
	switch {
	case s.isQuads():
		return s.rows * 2 * s.axes[2].Output
	case s.global || s.direct:
		return 0
	}
	return s.rows*s.pitch + s.volume
}

// run computes rows lo to hi-1 of the output, counted over all planes. finish, if not nil,
// applies the stages.
func (s *separable) run(r *ops.Run, output, data, scratch []float32, lo, hi int, finish func(*ops.Run, []float32, int)) {
	x := &s.axes[2]
	var reduced, volume []float32
	if !s.global && !s.direct {
		reduced, volume = scratch[:s.rows*s.pitch], scratch[s.rows*s.pitch:]
		if s.flat == nil {
			s.fillPadding(reduced)
		}
	}
	nan := 0 // the end of the rows in which there is a NaN
	for lo < hi && !r.Stop.Requested() {
		n, atOnce := min(s.rows, hi-lo), s.maxima != nil && lo >= nan
		if atOnce {
			n = s.rowsAtOnce(lo, hi)
		}
		out := output[lo*x.Output:][:n*x.Output]
		switch {
		case atOnce:
			if !s.maxima.Rows(out, data[lo/s.axes[1].Output*s.axes.Input():], lo%s.axes[1].Output, min(n, s.axes[1].Output)) {
				nan = lo + n
				continue
			}
		case s.global:
			s.reducePlanes(out, data[lo*s.axes.Input():])
		case s.isQuads():
			s.reduceQuads(out, data[lo*x.Input:], scratch, n)
		case s.direct:
			s.reduceColumns(out, data[lo*x.Input:], x.Input, n, nil)
		case s.flat != nil:
			s.reduceFlat(out, data, reduced, lo, n)
		default:
			s.reduceBlock(out, data, reduced, volume, lo, n)
		}
		if finish != nil {
			finish(r, out, lo*x.Output)
		}
		lo += n
	}
}

// rowsAtOnce returns the number of rows from row lo to hi-1, counted over all planes, that one call
// computes: those of several planes, or of a part of one.
func (s *separable) rowsAtOnce(lo, hi int) int {
	rows := s.axes[1].Output
	if row := lo % rows; row > 0 || hi-lo < rows {
		return min(rows-row, hi-lo)
	}
	return min((hi-lo)/rows, s.maxima.PlanesAtOnce()) * rows
}

// fillPadding sets the elements of reduced rows that are padding.
func (s *separable) fillPadding(reduced []float32) {
	x := &s.axes[2]
	end := x.PadBegin + s.reducedElements()
	for ; len(reduced) > 0; reduced = reduced[s.pitch:] {
		for i := range reduced[:x.PadBegin] {
			reduced[i] = s.padValue
		}
		for i := range reduced[end:s.pitch] {
			reduced[end+i] = s.padValue
		}
	}
}

// reducedElements returns the number of elements of a reduced row that are not padding.
func (s *separable) reducedElements() int { return min(s.axes[2].Input, s.pitch-s.axes[2].PadBegin) }

// reducePlanes reduces each input plane to one element of out.
func (s *separable) reducePlanes(out, data []float32) {
	n := s.axes.Input()
	s.function.ReduceSegments(out, data, n, n)
	if s.scale != nil {
		for i := range out {
			out[i] *= s.scale[0]
		}
	}
}

// reduceBlock computes n rows of the output from row first on, counted over all planes.
// reduced has room for n reduced rows, and volume for one plane.
func (s *separable) reduceBlock(out, data, reduced, volume []float32, first, n int) {
	z, y, x := &s.axes[0], &s.axes[1], &s.axes[2]
	plane := y.Input * x.Input
	for done := 0; done < n; {
		row := first + done
		oy, oz := row%y.Output, row/y.Output%z.Output
		count := min(len(s.table)-oy, n-done)
		table := s.table[oy : oy+count]
		z0, z1, zFirst := z.Clip(oz)
		in := data[(row/y.Output/z.Output*z.Input+zFirst+z0*z.Dilation)*plane:]
		if z.Kernel > 1 {
			lo, hi := plane, 0 // the elements that the rows of table cover
			for _, t := range table {
				lo, hi = min(lo, t.Offset), max(hi, t.Offset+(t.Count-1)*y.Dilation*x.Input+x.Input)
			}
			s.function.Reduce(volume[lo:hi], in[lo:], nil, reduction.Rows{N: hi - lo, Count: z1 - z0, Step: z.Dilation * plane, Outputs: 1})
			in = volume
		}
		s.function.Reduce(reduced[done*s.pitch+x.PadBegin:], in, nil, reduction.Rows{
			N: s.reducedElements(), Step: y.Dilation * x.Input, Outputs: count, OutPitch: s.pitch, Table: table,
		})
		if s.scaleTables != nil {
			s.reduceColumns(out[done*x.Output:], reduced[done*s.pitch:], s.pitch, count, s.scaleTables[oz][oy:oy+count])
		}
		done += count
	}
	if s.scaleTables == nil {
		s.reduceColumns(out, reduced, s.pitch, n, nil)
	}
}

// reduceColumns reduces the columns of each window in n rows that are pitch apart. table,
// if not nil, holds the ScaleOffset of each row.
func (s *separable) reduceColumns(out, in []float32, pitch, n int, table []reduction.Row) {
	x := &s.axes[2]
	rows := reduction.Rows{N: x.Output, Count: x.Kernel, Step: x.Dilation, Outputs: n, InPitch: pitch, OutPitch: x.Output, Table: table}
	switch {
	case x.Stride == 1 || x.Output == 1:
		s.function.Reduce(out, in, s.scale, rows)
	case x.Stride == 2:
		s.function.ReduceStride2(out, in, s.scale, rows)
	default:
		for o := range n {
			scale := s.scale
			if table != nil {
				scale = scale[table[o].ScaleOffset:]
			}
			s.reduceStridedColumns(out[o*x.Output:][:x.Output], in[o*pitch:], scale)
		}
	}
}

// isQuads reports whether a window is four columns of one row, side by side with the next ones.
func (s *separable) isQuads() bool {
	x := &s.axes[2]
	return s.direct && !s.global && x.Kernel == 4 && x.Stride == 4 && x.Dilation == 1
}

// reduceQuads computes n rows of quads: it reduces them to pairs in scratch, and these to one.
func (s *separable) reduceQuads(out, in, scratch []float32, n int) {
	x := &s.axes[2]
	pairs := 2 * x.Output
	s.function.ReduceStride2(scratch, in, nil, reduction.Rows{N: pairs, Count: 2, Step: 1, Outputs: n, InPitch: x.Input, OutPitch: pairs})
	s.function.ReduceStride2(out, scratch, s.scale, reduction.Rows{N: x.Output, Count: 2, Step: 1, Outputs: n, InPitch: pairs, OutPitch: x.Output})
}

// manyColumns is the least number of window columns for which ReduceSegments is faster than
// the loop.
const manyColumns = 8

// reduceStridedColumns is reduceColumns for one row and a stride above 2.
func (s *separable) reduceStridedColumns(out, in, scale []float32) {
	x := &s.axes[2]
	if x.Kernel >= manyColumns && x.Dilation == 1 {
		s.function.ReduceSegments(out, in, x.Kernel, x.Stride)
	} else {
		for o := range out {
			window := in[o*x.Stride:][:(x.Kernel-1)*x.Dilation+1]
			v := window[0]
			for k := x.Dilation; k < len(window); k += x.Dilation {
				if s.function == reduction.Max {
					v = max(v, window[k])
				} else {
					v += window[k]
				}
			}
			out[o] = v
		}
	}
	if scale != nil {
		for o, factor := range scale[:len(out)] {
			out[o] *= factor
		}
	}
}
