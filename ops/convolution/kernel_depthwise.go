package convolution

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// depthwiseRows is like convolve, for float64 and groups with one input channel:
//
//	for each n, o, y..., k...: output[n,o,y...] += filters[o,0,k...] * data[n,c,y...+k...]
//
// It completes a row of the output before it starts the next one, so the row stays in the cache
// even if the plane is large.
func depthwiseRows(g *geometry) floats.Func[float64] {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	outPlane, inPlane := g.axes.Output(), g.axes.Input()
	kernel := z.Kernel * y.Kernel * x.Kernel
	xLo, xHi := inside(x)
	return func(stop parallel.Stop, output, data, filters []float64, lo, hi int) {
		meter := stop.Meter()
		if outPlane == 0 {
			return
		}
		for i := lo; i < hi; i++ {
			first, o := g.block(i)
			in, filter := data[first*inPlane:][:inPlane], filters[o*kernel:][:kernel]
			out := output[i*outPlane : (i+1)*outPlane]
			parallel.Clear(stop, out)
			for row := range z.Output * y.Output {
				if meter.Spent(x.Output) {
					return
				}
				addTaps(g, &meter, out[row*x.Output:][:x.Output], in, filter, row, xLo, xHi)
			}
		}
	}
}

// inside returns the outputs lo to hi-1 whose windows lie completely in the input. If there are
// none, lo and hi are both the number of outputs.
func inside(a *window.Axis) (lo, hi int) {
	_, hi, _ = a.Range(a.Kernel - 1)
	if lo, _, _ = a.Range(0); lo >= hi || a.Kernel == 0 {
		return a.Output, a.Output
	}
	return lo, hi
}

// addTaps computes one row of the output from the plane in. Between xLo and xHi it adds the
// products of RowsAtOnce elements of the filter at a time. It ends early if the work must stop.
func addTaps(g *geometry, meter *parallel.Meter, out, in, filter []float64, row, xLo, xHi int) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	z0, z1, zFirst := z.Clip(row / y.Output)
	y0, y1, yFirst := y.Clip(row % y.Output)
	// may be negative, unlike the offsets of the rows that are read
	corner := (zFirst*y.Input + yFirst) * x.Input
	rows := [4]int{z0, z1, y0, y1}
	edge(g, meter, out, in, filter, corner, rows, 0, xLo)
	edge(g, meter, out, in, filter, corner, rows, xHi, x.Output)
	for ; xLo < xHi; xLo += window.RowPiece {
		addPiece(g, meter, out, in, filter, corner, rows, xLo, min(xLo+window.RowPiece, xHi))
	}
}

// addPiece computes outputs xLo to xHi-1 of addTaps, whose windows lie within a row of the input.
func addPiece(g *geometry, meter *parallel.Meter, out, in, filter []float64, corner int, rows [4]int, xLo, xHi int) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	var taps [window.RowsAtOnce][]float64
	var weights [window.RowsAtOnce]float64
	n := 0
	for kz := rows[0]; kz < rows[1]; kz++ {
		for ky := rows[2]; ky < rows[3]; ky++ {
			from := in[corner+(kz*z.Dilation*y.Input+ky*y.Dilation)*x.Input:][:x.Input]
			line := filter[(kz*y.Kernel+ky)*x.Kernel:][:x.Kernel]
			for k, weight := range line {
				taps[n], weights[n] = from[xLo*x.Stride+k*x.Dilation-x.PadBegin:], weight
				if n++; n == window.RowsAtOnce {
					if meter.Spent(n * (xHi - xLo)) {
						return
					}
					window.AddRows(out[xLo:], taps[0], taps[1], taps[2], taps[3], xHi-xLo, weights, 1, x.Stride)
					n = 0
				}
			}
		}
	}
	for i := range n {
		window.AddRow(out[xLo:], taps[i], xHi-xLo, weights[i], 1, x.Stride)
	}
}

// edge computes outputs lo to hi-1 of a row, whose windows reach beyond the input along x. rows
// holds the range of planes and the range of rows of the filter that lie in the input. It ends
// early if the work must stop.
func edge(g *geometry, meter *parallel.Meter, out, in, filter []float64, corner int, rows [4]int, lo, hi int) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	for o := lo; o < hi; o++ {
		k0, k1, first := x.Clip(o)
		if meter.Spent(1) {
			return
		}
		var total float64
		for kz := rows[0]; kz < rows[1]; kz++ {
			for ky := rows[2]; ky < rows[3]; ky++ {
				line := filter[(kz*y.Kernel+ky)*x.Kernel:][:k1]
				at := corner + (kz*z.Dilation*y.Input+ky*y.Dilation)*x.Input + first
				for k := k0; k < k1; {
					end := min(k+window.RowPiece, k1)
					if meter.Spent(end - k) {
						return
					}
					for ; k < end; k++ {
						total += line[k] * in[at+k*x.Dilation]
					}
				}
			}
		}
		out[o] = total
	}
}
