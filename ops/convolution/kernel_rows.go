package convolution

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// convolve returns a function that computes output planes lo to hi-1, counted over batch and
// channels.
func convolve[T float32 | float64](g *geometry) floats.Func[T] {
	outPlane, inPlane := g.axes.Output(), g.axes.Input()
	kernel := g.axes[0].Kernel * g.axes[1].Kernel * g.axes[2].Kernel
	return func(stop parallel.Stop, output, data, filters []T, lo, hi int) {
		meter := stop.Meter()
		if outPlane == 0 {
			return
		}
		for i := lo; i < hi; i++ {
			out := output[i*outPlane : (i+1)*outPlane]
			parallel.Clear(stop, out)
			first, o := g.block(i)
			in := data[first*inPlane:][:g.inChannels*inPlane]
			filter := filters[o*g.inChannels*kernel:][:g.inChannels*kernel]
			for c := g.inChannels; c > 0; c -= window.RowsAtOnce {
				n := min(c, window.RowsAtOnce)
				addPlanes(g, &meter, out, in, filter, n)
				if stop.Requested() {
					return
				}
				in, filter = in[n*inPlane:], filter[n*kernel:]
			}
		}
	}
}

// addPlanes adds the convolutions of the first n input planes with their filters to an output
// plane. n is at most RowsAtOnce. It ends early if the work must stop.
func addPlanes[T float32 | float64](g *geometry, meter *parallel.Meter, out, in, filter []T, n int) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	plane, kernel := g.axes.Input(), z.Kernel*y.Kernel*x.Kernel
	for k := range kernel {
		kz, ky, kx := k/(y.Kernel*x.Kernel), k/x.Kernel%y.Kernel, k%x.Kernel
		zLo, zHi, zFirst := z.Range(kz)
		yLo, yHi, yFirst := y.Range(ky)
		xLo, xHi, xFirst := x.Range(kx)
		if meter.Spent(8) {
			return
		}
		if xLo == xHi {
			continue
		}
		for oz := zLo; oz < zHi; oz++ {
			for oy := yLo; oy < yHi; oy++ {
				for lo := xLo; lo < xHi; lo += window.RowPiece {
					count := min(window.RowPiece, xHi-lo)
					if meter.Spent(n * count) {
						return
					}
					from := in[((oz*z.Stride+zFirst)*y.Input+oy*y.Stride+yFirst)*x.Input+lo*x.Stride+xFirst:]
					to := out[(oz*y.Output+oy)*x.Output+lo:]
					if n == window.RowsAtOnce {
						weights := [window.RowsAtOnce]T{filter[k], filter[kernel+k], filter[2*kernel+k], filter[3*kernel+k]}
						window.AddRows(to, from, from[plane:], from[2*plane:], from[3*plane:], count, weights, 1, x.Stride)
						continue
					}
					for c := range n {
						window.AddRow(to, from[c*plane:], count, filter[c*kernel+k], 1, x.Stride)
					}
				}
			}
		}
	}
}
