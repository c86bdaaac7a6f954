package roialign

import (
	"math"

	"github.com/vinoir/vinoir/ops/internal/sampling"
)

// turn is a rotation about the centre of a region.
type turn[T sampling.Float] struct{ centreX, centreY, cos, sin T }

// rotated computes bins lo to hi-1 of a region: the means of their samples.
func rotated[T sampling.Float](w *sampling.Worker[T], l *layer, image *sampling.Image[T], region, lo, hi int) {
	var c [5]T // the centre, the size and the angle
	sampling.Load(c[:], w.Run.Inputs[1], 5*region)
	scale := T(l.spatialScale)
	width, height, angle := c[2]*scale, c[3]*scale, float64(c[4])
	if l.clockwise {
		angle = -angle
	}
	t := &turn[T]{T(c[0]*scale) - 0.5, T(c[1]*scale) - 0.5, T(math.Cos(angle)), T(math.Sin(angle))}
	// The spans are those of a region that is not rotated, about the origin.
	y := sampling.NewSpan(-height/2, height, l.pooledH, l.ratio, l.h)
	x := sampling.NewSpan(-width/2, width, l.pooledW, l.ratio, l.w)
	weight := T(1 / (y.Samples * x.Samples))
	top, bottom, left, right := t.bounds(l.h, l.w)
	var q sampling.Quad[T]
	for point := lo; point < hi; point++ {
		row, column := point/l.pooledW, point%l.pooledW
		firstY, ny := y.Window(row, top, bottom)
		firstX, nx := x.Window(column, left, right)
		for i := firstY; i < firstY+ny; i++ {
			py := y.At(row, i)
			for j := firstX; j < firstX+nx; j++ {
				if w.Meter.Spent(16 + len(w.Row(point))) {
					return
				}
				px := x.At(column, j)
				sy, sx := T(py*t.cos)-T(px*t.sin)+t.centreY, T(py*t.sin)+T(px*t.cos)+t.centreX
				if q.SetSample(sy, sx, l.h, l.w) {
					for k := range q.Weights {
						q.Weights[k] *= weight
					}
					image.Add(w.Row(point), &q, 0)
				}
			}
		}
	}
}

// bounds returns the ranges of positions before the rotation that can be in an image of h rows and
// w columns.
func (t *turn[T]) bounds(h, w int) (top, bottom, left, right float64) {
	top, bottom, left, right = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	cos, sin := float64(t.cos), float64(t.sin)
	for _, y := range [2]float64{-2, float64(h) + 1} {
		for _, x := range [2]float64{-2, float64(w) + 1} {
			dy, dx := y-float64(t.centreY), x-float64(t.centreX)
			py, px := dy*cos+dx*sin, dx*cos-dy*sin
			top, bottom, left, right = min(top, py), max(bottom, py), min(left, px), max(right, px)
		}
	}
	return top, bottom, left, right
}
