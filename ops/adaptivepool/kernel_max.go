package adaptivepool

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

type number interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// maxima calls maxPlanes for the type of the positions, if they are an output.
func maxima[T number](r *ops.Run, g *geometry, output, data []T, lo, hi int) {
	switch {
	case len(r.Outputs) < 2:
		maxPlanes[T, int64](r.Stop, g, output, nil, data, lo, hi)
	case r.Outputs[1].ElementType() == ir.I32:
		maxPlanes(r.Stop, g, output, ir.Data[int32](r.Outputs[1]), data, lo, hi)
	default:
		maxPlanes(r.Stop, g, output, ir.Data[int64](r.Outputs[1]), data, lo, hi)
	}
}

// maxPlanes computes the maxima of planes lo to hi-1, and their positions unless places is nil. It ends
// early if the work must stop.
func maxPlanes[T number, I int32 | int64](stop parallel.Stop, g *geometry, output []T, places []I, data []T, lo, hi int) {
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
									if v > best || v != v && best == best {
										best, place = v, row+x+i
									}
								}
							}
						}
					}
					output[at] = best
					if places != nil {
						places[at] = I(place)
					}
					at++
				}
			}
		}
	}
}
