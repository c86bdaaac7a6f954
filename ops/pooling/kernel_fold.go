package pooling

import (
	"math"

	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/ops"
)

// folder pools float32 in two steps, rows first: it joins the rows of each window, to a
// row that has the window's padding on either side, and then its columns.
type folder struct {
	*geometry
	function reduction.Function
	empty    float32           // what the padding holds
	pitch    int               // of the joined rows
	rows     int               // that are joined at a time
	volume   int               // elements of a plane, of several that are joined along the first axis
	whole    bool              // a window is all of a plane
	direct   bool              // rows are joined already
	table    []reduction.Row   // which rows are joined for a plane of the output, or several
	columns  [][]reduction.Row // what columns are multiplied by, plane by plane; nil where all are alike
	scale    []float32         // what sums are multiplied by; nil for maxima
}

const (
	// blockElements is the number of elements of the joined rows: they stay in the
	// nearest cache.
	blockElements = 1 << 12
	// maxCounts bounds the numbers of elements of windows, up to a factor for each
	// column.
	maxCounts = 64
)

// newFolder returns nil for what is left to the loops: windows that meet no element,
// or reach far beyond the input.
func newFolder(g *geometry, mean bool) *folder {
	f := &folder{geometry: g, function: reduction.Max, empty: float32(math.Inf(-1))}
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	if g.planes == 0 || g.axes.Input() == 0 {
		return nil
	}
	for i := range g.axes {
		a := &g.axes[i]
		for o := range a.Output {
			if lo, hi, _ := a.Clip(o); lo == hi {
				return nil
			}
		}
	}
	f.pitch = (x.Output-1)*x.Stride + (x.Kernel-1)*x.Dilation + 1
	if f.pitch > 4*(x.Input+x.Output)+64 {
		return nil
	}
	f.rows = max(blockElements/f.pitch, 1)
	f.whole, f.direct = g.axes.Output() == 1, x.PadBegin == 0 && f.pitch <= x.Input
	for i := range g.axes {
		a := &g.axes[i]
		f.whole = f.whole && a.PadBegin == 0 && a.Dilation == 1 && a.Kernel == a.Input
		f.direct = f.direct && (i == 2 || a.Kernel == 1 && a.Output == a.Input && a.PadBegin == 0 && a.Stride == 1)
	}
	together := 1 // planes whose rows are joined by one call
	if z.Input == 1 && z.Output == 1 && z.Kernel == 1 {
		together = max(min(f.rows/y.Output, g.planes), 1)
	}
	f.table = make([]reduction.Row, together*y.Output)
	for o := range f.table { // counted from the first row of a plane of the input
		lo, hi, first := y.Clip(o % y.Output)
		f.table[o] = reduction.Row{Offset: (o/y.Output*y.Input + first + lo*y.Dilation) * x.Input, Count: hi - lo}
	}
	if mean {
		f.function, f.empty = reduction.Sum, 0
		if !f.weigh() {
			return nil
		}
	}
	if z.Kernel > 1 {
		f.volume = y.Input * x.Input
	}
	return f
}

// weigh fills the numbers that make means of sums; false where there are too many.
func (f *folder) weigh() bool {
	z, y, x := &f.axes[0], &f.axes[1], &f.axes[2]
	count := func(i, o int) float64 {
		if f.excludePad {
			lo, hi, _ := f.axes[i].Clip(o)
			return float64(hi - lo)
		}
		return f.padded(i, o)
	}
	at := map[float64]int{} // where the scale of rows of so many elements is
	f.columns = make([][]reduction.Row, z.Output)
	for oz := range f.columns {
		f.columns[oz] = make([]reduction.Row, len(f.table))
		for oy := range f.columns[oz] {
			n := count(0, oz) * count(1, oy%y.Output)
			if _, ok := at[n]; !ok {
				if len(at) == maxCounts {
					return false
				}
				at[n] = len(f.scale)
				for ox := range x.Output {
					f.scale = append(f.scale, float32(1/(n*count(2, ox))))
				}
			}
			f.columns[oz][oy] = reduction.Row{Count: x.Kernel, ScaleOffset: at[n]}
		}
	}
	if len(at) == 1 {
		f.columns = nil
	}
	return true
}

// scratch returns the number of elements of scratch memory.
func (f *folder) scratch() int {
	if f.whole || f.direct {
		return 0
	}
	return f.rows*f.pitch + f.volume
}

// run computes rows lo to hi-1 of all planes of the output. finish, if not nil, applies
// stages.
func (f *folder) run(r *ops.Run, output, data, scratch []float32, lo, hi int, finish func(*ops.Run, []float32, int)) {
	x := &f.axes[2]
	var joined, volume []float32
	if !f.whole && !f.direct {
		joined, volume = scratch[:f.rows*f.pitch], scratch[f.rows*f.pitch:]
		for i := range joined {
			joined[i] = f.empty
		}
	}
	for lo < hi {
		n := min(f.rows, hi-lo)
		out := output[lo*x.Output:][:n*x.Output]
		switch {
		case f.whole:
			f.planeToOne(out, data[lo*f.axes.Input():])
		case f.direct:
			f.across(out, data[lo*x.Input:], x.Input, n, nil)
		default:
			f.block(out, data, joined, volume, lo, n)
		}
		if finish != nil {
			finish(r, out, lo*x.Output)
		}
		lo += n
	}
}

// planeToOne computes planes of one element.
func (f *folder) planeToOne(out, data []float32) {
	n := f.axes.Input()
	f.function.ReduceSegments(out, data, n, n)
	if f.scale != nil {
		for i := range out {
			out[i] *= f.scale[0]
		}
	}
}

// block computes n rows from row first of all planes on, which joined holds all of.
func (f *folder) block(out, data, joined, volume []float32, first, n int) {
	z, y, x := &f.axes[0], &f.axes[1], &f.axes[2]
	plane := y.Input * x.Input
	for done := 0; done < n; {
		row := first + done
		oy, oz := row%y.Output, row/y.Output%z.Output
		count := min(len(f.table)-oy, n-done)
		table := f.table[oy : oy+count]
		z0, z1, zFirst := z.Clip(oz)
		in := data[(row/y.Output/z.Output*z.Input+zFirst+z0*z.Dilation)*plane:]
		if z.Kernel > 1 {
			lo, hi := plane, 0 // what the rows lie in
			for _, t := range table {
				lo, hi = min(lo, t.Offset), max(hi, t.Offset+(t.Count-1)*y.Dilation*x.Input+x.Input)
			}
			f.function.Reduce(volume[lo:hi], in[lo:], nil, reduction.Rows{N: hi - lo, Count: z1 - z0, Step: z.Dilation * plane, Outputs: 1})
			in = volume
		}
		f.function.Reduce(joined[done*f.pitch+x.PadBegin:], in, nil, reduction.Rows{
			N: min(x.Input, f.pitch-x.PadBegin), Step: y.Dilation * x.Input, Outputs: count, OutPitch: f.pitch, Table: table,
		})
		if f.columns != nil {
			f.across(out[done*x.Output:], joined[done*f.pitch:], f.pitch, count, f.columns[oz][oy:oy+count])
		}
		done += count
	}
	if f.columns == nil {
		f.across(out, joined, f.pitch, n, nil)
	}
}

// across joins columns of n rows that are pitch apart, as table says if it is not nil.
func (f *folder) across(out, in []float32, pitch, n int, table []reduction.Row) {
	x := &f.axes[2]
	rows := reduction.Rows{N: x.Output, Count: x.Kernel, Step: x.Dilation, Outputs: n, InPitch: pitch, OutPitch: x.Output, Table: table}
	switch {
	case x.Stride == 1 || x.Output == 1:
		f.function.Reduce(out, in, f.scale, rows)
	case x.Stride == 2:
		f.function.ReduceStride2(out, in, f.scale, rows)
	default:
		for o := range n {
			scale := f.scale
			if table != nil {
				scale = scale[table[o].ScaleOffset:]
			}
			f.stride(out[o*x.Output:][:x.Output], in[o*pitch:], scale)
		}
	}
}

// manyColumns is the number of columns of a window from which on vector code joins
// each window by itself.
const manyColumns = 8

// stride joins the columns of one row for windows that are farther apart.
func (f *folder) stride(out, in, scale []float32) {
	x := &f.axes[2]
	if x.Kernel >= manyColumns && x.Dilation == 1 {
		f.function.ReduceSegments(out, in, x.Kernel, x.Stride)
	} else {
		for o := range out {
			window := in[o*x.Stride:][:(x.Kernel-1)*x.Dilation+1]
			v := window[0]
			for k := x.Dilation; k < len(window); k += x.Dilation {
				if f.function == reduction.Max {
					v = max(v, window[k])
				} else {
					v += window[k]
				}
			}
			out[o] = v
		}
	}
	if scale != nil {
		for o, s := range scale[:len(out)] {
			out[o] *= s
		}
	}
}
