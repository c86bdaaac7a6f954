package convolution

import (
	"github.com/vinoir/vinoir/ops/internal/floats"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// depthwise is convolve for groups of one input channel:
//
//	for each n, o, y..., k...: output[n,o,y...] += filters[o,0,k...] * data[n,c,y...+k...]
//
// A row of the output is complete before the next one is begun, so that it stays in
// the cache however large the plane is.
func depthwise[T float32 | float64](g *geometry) floats.Func[T] {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	outPlane, inPlane := g.axes.Output(), g.axes.Input()
	kernel := z.Kernel * y.Kernel * x.Kernel
	return func(output, data, filters []T, lo, hi int) {
		if outPlane == 0 {
			return
		}
		for i := lo; i < hi; i++ {
			first, o := g.block(i)
			in, filter := data[first*inPlane:][:inPlane], filters[o*kernel:][:kernel]
			out := output[i*outPlane : (i+1)*outPlane]
			for row := range z.Output * y.Output {
				z0, z1, zFirst := z.Clip(row / y.Output)
				y0, y1, yFirst := y.Clip(row % y.Output)
				to := out[row*x.Output:][:x.Output]
				clear(to)
				for kz := z0; kz < z1; kz++ {
					for ky := y0; ky < y1; ky++ {
						at := ((kz*z.Dilation+zFirst)*y.Input + ky*y.Dilation + yFirst) * x.Input
						addTaps(g, to, in[at:][:x.Input], filter[(kz*y.Kernel+ky)*x.Kernel:][:x.Kernel])
					}
				}
			}
		}
	}
}

// taps is the number of elements of a filter's row that are added at once.
const taps = 3

// addTaps adds the convolution of a row of the input with a row of the filter.
func addTaps[T float32 | float64](g *geometry, out, in, filter []T) {
	x := &g.axes[2]
	for k := 0; k < x.Kernel; k += taps {
		n := min(x.Kernel-k, taps)
		lo, hi := 0, x.Output // where all the taps meet the input
		for j := k; j < k+n; j++ {
			tapLo, tapHi, _ := x.Range(j)
			lo, hi = max(lo, tapLo), min(hi, tapHi)
		}
		if n < taps || lo >= hi {
			lo, hi = x.Output, x.Output
		}
		for j := k; j < k+n; j++ {
			tapLo, tapHi, first := x.Range(j)
			if end := min(tapHi, lo); tapLo < end {
				window.AddRow(out[tapLo:], in[tapLo*x.Stride+first:], end-tapLo, filter[j], 1, x.Stride)
			}
			if hi < tapHi {
				window.AddRow(out[hi:], in[hi*x.Stride+first:], tapHi-hi, filter[j], 1, x.Stride)
			}
		}
		if lo < hi {
			from := in[lo*x.Stride+k*x.Dilation-x.PadBegin:]
			addThree(out[lo:hi], from, from[x.Dilation:], from[2*x.Dilation:], filter[k:k+taps], x.Stride)
		}
	}
}

// addThree is addRow for three rows.
func addThree[T float32 | float64](out, a, b, c, weights []T, stride int) {
	u, v, w := weights[0], weights[1], weights[2]
	if stride == 1 {
		a, b, c = a[:len(out)], b[:len(out)], c[:len(out)]
		for i := range out {
			out[i] += u*a[i] + v*b[i] + w*c[i]
		}
		return
	}
	for i := range out {
		j := i * stride
		out[i] += u*a[j] + v*b[j] + w*c[j]
	}
}
