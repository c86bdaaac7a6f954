package convolution

// group is the number of input channels that are added at once: each of them then
// costs a quarter of the loads and stores of the output.
const group = 4

// convolve computes output planes lo to hi-1, counted over batch and channels.
func convolve[T float32 | float64](g *geometry, output, data, filters []T, lo, hi int) {
	outPlane, inPlane := g.axes.Output(), g.axes.Input()
	kernel := g.axes[0].Kernel * g.axes[1].Kernel * g.axes[2].Kernel
	if outPlane == 0 {
		return
	}
	for i := lo; i < hi; i++ {
		out := output[i*outPlane : (i+1)*outPlane]
		clear(out)
		first, o := g.block(i)
		in := data[first*inPlane:][:g.inChannels*inPlane]
		filter := filters[o*g.inChannels*kernel:][:g.inChannels*kernel]
		for c := g.inChannels; c > 0; c -= group {
			n := min(c, group)
			addPlanes(g, out, in, filter, n)
			in, filter = in[n*inPlane:], filter[n*kernel:]
		}
	}
}

// addPlanes adds the convolution of the first n input planes, up to group of
// them, with their filters.
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
				to := out[(oz*y.Output+oy)*x.Output:][xLo:xHi]
				if n == group {
					weights := [group]T{filter[k], filter[kernel+k], filter[2*kernel+k], filter[3*kernel+k]}
					addRows(to, from, from[plane:], from[2*plane:], from[3*plane:], weights, x.Stride)
					continue
				}
				for c := range n {
					addRow(to, from[c*plane:], filter[c*kernel+k], x.Stride)
				}
			}
		}
	}
}

// addRow adds weight times every stride-th element of in to out.
func addRow[T float32 | float64](out, in []T, weight T, stride int) {
	if stride == 1 {
		in = in[:len(out)]
		for i := range out {
			out[i] += weight * in[i]
		}
		return
	}
	for i := range out {
		out[i] += weight * in[i*stride]
	}
}

// addRows is addRow for as many rows as weights.
func addRows[T float32 | float64](out, a, b, c, d []T, weights [group]T, stride int) {
	v, w, x, y := weights[0], weights[1], weights[2], weights[3]
	if stride == 1 {
		a, b, c, d = a[:len(out)], b[:len(out)], c[:len(out)], d[:len(out)]
		for i := range out {
			out[i] += v*a[i] + w*b[i] + x*c[i] + y*d[i]
		}
		return
	}
	for i := range out {
		j := i * stride
		out[i] += v*a[j] + w*b[j] + x*c[j] + y*d[j]
	}
}
