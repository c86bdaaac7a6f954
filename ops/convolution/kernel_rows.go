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
				window.AddPlanes(&g.axes, &meter, out, in, filter, n, kernel, false)
				if stop.Requested() {
					return
				}
				in, filter = in[n*inPlane:], filter[n*kernel:]
			}
		}
	}
}
