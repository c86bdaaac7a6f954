package convolution

import (
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// convolve returns a function that computes output planes lo to hi-1, counted over batch and
// channels.
func convolve[T float32 | float64](g *geometry) floats.Func[T] {
	outPlane, inPlane := g.axes.Output(), g.axes.Input()
	kernel := g.axes[0].Kernel * g.axes[1].Kernel * g.axes[2].Kernel
	return func(output, data, filters []T, lo, hi int) {
		if outPlane == 0 {
			return
		}
		for i := lo; i < hi; i++ {
			out := output[i*outPlane : (i+1)*outPlane]
			clear(out)
			first, o := g.block(i)
			in := data[first*inPlane:][:g.inChannels*inPlane]
			filter := filters[o*g.inChannels*kernel:][:g.inChannels*kernel]
			for c := g.inChannels; c > 0; c -= window.RowsAtOnce {
				n := min(c, window.RowsAtOnce)
				addPlanes(g, out, in, filter, n)
				in, filter = in[n*inPlane:], filter[n*kernel:]
			}
		}
	}
}

// addPlanes adds the convolutions of the first n input planes with their filters to an output
// plane. n is at most RowsAtOnce.
func addPlanes[T float32 | float64](g *geometry, out, in, filter []T, n int) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	plane, kernel := g.axes.Input(), z.Kernel*y.Kernel*x.Kernel
	for k := range kernel {
		kz, ky, kx := k/(y.Kernel*x.Kernel), k/x.Kernel%y.Kernel, k%x.Kernel
		zLo, zHi, zFirst := z.Range(kz)
		yLo, yHi, yFirst := y.Range(ky)
		xLo, xHi, xFirst := x.Range(kx)
		if xLo == xHi {
			continue
		}
		for oz := zLo; oz < zHi; oz++ {
			for oy := yLo; oy < yHi; oy++ {
				from := in[((oz*z.Stride+zFirst)*y.Input+oy*y.Stride+yFirst)*x.Input+xLo*x.Stride+xFirst:]
				to := out[(oz*y.Output+oy)*x.Output+xLo:]
				if n == window.RowsAtOnce {
					weights := [window.RowsAtOnce]T{filter[k], filter[kernel+k], filter[2*kernel+k], filter[3*kernel+k]}
					window.AddRows(to, from, from[plane:], from[2*plane:], from[3*plane:], xHi-xLo, weights, 1, x.Stride)
					continue
				}
				for c := range n {
					window.AddRow(to, from[c*plane:], xHi-xLo, filter[c*kernel+k], 1, x.Stride)
				}
			}
		}
	}
}
