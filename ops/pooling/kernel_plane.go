package pooling

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// rowPiece is the number of elements of a row that are read between two checks of the Stop.
const rowPiece = 1 << 16

// maxPlanes computes the maxima of planes lo to hi-1, and their positions. It
// ends early if the work must stop.
func maxPlanes[T cast.Number](stop parallel.Stop, g *geometry, output []T, places window.Places, data []T, lowest T, lo, hi int) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	meter := stop.Meter()
	for plane := lo; plane < hi; plane++ {
		in := data[plane*g.axes.Input():][:g.axes.Input()]
		at := plane * g.axes.Output()
		base := plane * g.axes.Input()
		for oz := range z.Output {
			z0, z1, zFirst := z.Clip(oz)
			for oy := range y.Output {
				y0, y1, yFirst := y.Clip(oy)
				for ox := range x.Output {
					x0, x1, xFirst := x.Clip(ox)
					if meter.Spent(4) {
						return
					}
					zEnd := z1
					if x0 == x1 {
						zEnd = z0 // there is no row to read
					}
					best, place := lowest, -1
					for kz := z0; kz < zEnd; kz++ {
						for ky := y0; ky < y1; ky++ {
							row := ((kz*z.Dilation+zFirst)*y.Input + ky*y.Dilation + yFirst) * x.Input
							for kx := x0; kx < x1; {
								end := min(kx+rowPiece, x1)
								if meter.Spent(end - kx + 4) {
									return
								}
								for ; kx < end; kx++ {
									i := row + kx*x.Dilation + xFirst
									// The second comparison is true for NaN, which then stays.
									if v := in[i]; v > best || place < 0 || v != v {
										best, place = v, i
									}
								}
							}
						}
					}
					output[at] = best
					if places.Wanted() {
						places.Set(at, (base+max(place, 0))%max(g.period, 1))
					}
					at++
				}
			}
		}
	}
}

// meanPlanes computes the means of planes lo to hi-1. It ends early if the work must stop.
func meanPlanes[T float32 | float64](stop parallel.Stop, g *geometry, output, data []T, lo, hi int) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	meter := stop.Meter()
	for plane := lo; plane < hi; plane++ {
		in := data[plane*g.axes.Input():][:g.axes.Input()]
		at := plane * g.axes.Output()
		for oz := range z.Output {
			z0, z1, zFirst := z.Clip(oz)
			for oy := range y.Output {
				y0, y1, yFirst := y.Clip(oy)
				for ox := range x.Output {
					x0, x1, xFirst := x.Clip(ox)
					if meter.Spent(4) {
						return
					}
					zEnd := z1
					if x0 == x1 {
						zEnd = z0 // there is no row to read
					}
					var total T
					for kz := z0; kz < zEnd; kz++ {
						for ky := y0; ky < y1; ky++ {
							row := ((kz*z.Dilation+zFirst)*y.Input + ky*y.Dilation + yFirst) * x.Input
							for kx := x0; kx < x1; {
								end := min(kx+rowPiece, x1)
								if meter.Spent(end - kx + 4) {
									return
								}
								for ; kx < end; kx++ {
									total += in[row+kx*x.Dilation+xFirst]
								}
							}
						}
					}
					count := float64((z1 - z0) * (y1 - y0) * (x1 - x0))
					if !g.excludePad {
						count = g.padded(0, oz) * g.padded(1, oy) * g.padded(2, ox)
					}
					output[at] = total / T(max(count, 1))
					at++
				}
			}
		}
	}
}
