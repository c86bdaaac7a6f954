package adaptivepool

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// placesOf returns the output of positions, if there is one.
func placesOf(r *ops.Run) window.Places {
	if len(r.Outputs) < 2 {
		return window.Places{}
	}
	return window.PlacesOf(r.Outputs[1])
}

// maxPlanes computes the maxima of planes lo to hi-1, and their positions. It ends early if the work must stop.
func maxPlanes[T number](stop parallel.Stop, g *geometry, output []T, places window.Places, data []T, lo, hi int) {
	z, y, x := &g.axes[0], &g.axes[1], &g.axes[2]
	at := lo * g.output()
	meter := stop.Meter()
	for plane := lo; plane < hi; plane++ {
		in := data[plane*g.input():][:g.input()]
		for oz := range z.output {
			z0, z1 := z.part(oz)
			for oy := range y.output {
				y0, y1 := y.part(oy)
				for ox := range x.output {
					x0, x1 := x.part(ox)
					place := (z0*y.input+y0)*x.input + x0
					best := in[place]
					for iz := z0; iz < z1; iz++ {
						for iy := y0; iy < y1; iy++ {
							row := (iz*y.input + iy) * x.input
							for x := x0; x < x1; x += rowPiece {
								end := min(x+rowPiece, x1)
								if meter.Spent(end - x + 8) {
									return
								}
								for i, v := range in[row+x : row+end] {
									// The first NaN is taken. No element replaces it.
									if !(v <= best) && best == best {
										best, place = v, row+x+i
									}
								}
							}
						}
					}
					output[at] = best
					if places.Wanted() {
						places.Set(at, place)
					}
					at++
				}
			}
		}
	}
}
