package window

import "github.com/vinoir/vinoir/internal/parallel"

// RowsAtOnce is the number of rows that AddRows adds at once. This takes a quarter of the loads
// and stores of out for each row.
const RowsAtOnce = 4

// RowPiece is the number of elements of a row that a kernel adds between two checks of a Stop.
const RowPiece = 1 << 16

// AddRow adds weight times n elements of in to out:
//
//	for i < n: out[i*outStep] += weight * in[i*inStep]
func AddRow[T float32 | float64](out, in []T, n int, weight T, outStep, inStep int) {
	if outStep == 1 && inStep == 1 {
		if out, in = out[:n], in[:n]; vectorRow(out, in, weight) {
			return
		}
		for i := range out {
			out[i] += weight * in[i]
		}
		return
	}
	for i := range n {
		out[i*outStep] += weight * in[i*inStep]
	}
}

// AddRows is AddRow for RowsAtOnce rows at once.
func AddRows[T float32 | float64](out, a, b, c, d []T, n int, weights [RowsAtOnce]T, outStep, inStep int) {
	v, w, x, y := weights[0], weights[1], weights[2], weights[3]
	if outStep == 1 && inStep == 1 {
		out, a, b, c, d = out[:n], a[:n], b[:n], c[:n], d[:n]
		if vectorRows(out, a, b, c, d, weights) {
			return
		}
		for i := range out {
			out[i] += v*a[i] + w*b[i] + x*c[i] + y*d[i]
		}
		return
	}
	for i := range n {
		j := i * inStep
		out[i*outStep] += v*a[j] + w*b[j] + x*c[j] + y*d[j]
	}
}

// AddPlanes adds the convolutions of the first n planes of in with their filters, which are `apart`
// elements apart, to the plane out. n is at most RowsAtOnce. If back is true, in and out change
// places: in has the planes of the outputs of v, and out is one of the inputs. It ends early if the
// work must stop.
func AddPlanes[T float32 | float64](v *Volume, meter *parallel.Meter, out, in, filter []T, n, apart int, back bool) {
	z, y, x := &v[0], &v[1], &v[2]
	plane, outStep, inStep := v.Input(), 1, x.Stride
	if back {
		plane, outStep, inStep = v.Output(), x.Stride, 1
	}
	for k := range z.Kernel * y.Kernel * x.Kernel {
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
				for lo := xLo; lo < xHi; lo += RowPiece {
					count := min(RowPiece, xHi-lo)
					if meter.Spent(n * count) {
						return
					}
					inAt := ((oz*z.Stride+zFirst)*y.Input+oy*y.Stride+yFirst)*x.Input + lo*x.Stride + xFirst
					outAt := (oz*y.Output+oy)*x.Output + lo
					if back {
						inAt, outAt = outAt, inAt
					}
					from, to := in[inAt:], out[outAt:]
					if n == RowsAtOnce {
						weights := [RowsAtOnce]T{filter[k], filter[apart+k], filter[2*apart+k], filter[3*apart+k]}
						AddRows(to, from, from[plane:], from[2*plane:], from[3*plane:], count, weights, outStep, inStep)
						continue
					}
					for c := range n {
						AddRow(to, from[c*plane:], count, filter[c*apart+k], outStep, inStep)
					}
				}
			}
		}
	}
}
