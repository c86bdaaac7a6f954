package gridsample

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sampling"
)

// shape holds the lengths of data and of the output.
type shape struct{ n, c, h, w, points int }

// prepare returns the kernel. It computes the positions and weights of a point once for all
// channels.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	data := p.InputShape(0)
	grid := p.InputShape(1)
	s := &shape{data[0], data[1], data[2], data[3], grid[1] * grid[2]}
	// The coordinates are computed in the type of the grid.
	if p.Inputs[1].Type == ir.F64 {
		return prepareGrid[float64](p, s)
	}
	return prepareGrid[float32](p, s)
}

func prepareGrid[G sampling.Float](p *ops.Preparation, s *shape) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	pl := plan[G]{y: newAxis[G](at, s.h), x: newAxis[G](at, s.w), shape: *s}
	if at.mode == "nearest" {
		return prepareNearest(p, pl)
	}
	if f, ok := any(pl).(plan[float32]); ok && at.mode == "bilinear" && s.c == 1 && s.h > 0 && s.w > 0 && p.Inputs[0].Type == ir.F32 && p.Inputs[1].Type == ir.F32 {
		return preparePlanes(f), nil
	}
	layer := &sampling.Layer{Images: []int{0}, Items: s.n, Points: s.points, Quads: float64(s.n) * float64(s.points)}
	if at.mode == "bicubic" {
		layer.Quads *= 4
	}
	if sampling.Wide(p.Inputs[0].Type) {
		return sampling.Kernel(p, layer, part[float64](pl, at.mode))
	}
	return sampling.Kernel(p, layer, part[float32](pl, at.mode))
}

// part returns the function that computes points of an image.
func part[T, G sampling.Float](p plan[G], mode string) sampling.Part[T] {
	cubic := mode == "bicubic"
	return func(w *sampling.Worker[T], item, lo, hi int) error {
		image := w.Image(0, item)
		var grid [2 * blockPoints]G
		for lo < hi && !w.Meter.Spent(blockPoints*p.c) {
			n := min(blockPoints, hi-lo)
			sampling.Load(grid[:2*n], w.Run.Inputs[1], 2*(item*p.points+lo))
			switch {
			case cubic:
				for i := range n {
					bicubic(&p, &image, w.Row(lo+i), grid[2*i], grid[2*i+1])
				}
			default:
				for i := range n {
					bilinear(&p, &image, w.Row(lo+i), grid[2*i], grid[2*i+1])
				}
			}
			lo += n
		}
		return nil
	}
}

// blockPoints is the number of points whose coordinates are read at once.
const blockPoints = 128

// bilinear adds the sample at a point of the grid to out.
func bilinear[T, G sampling.Float](p *plan[G], image *sampling.Image[T], out []T, gx, gy G) {
	q := sample[T](p, p.x.position(gx), p.y.position(gy))
	image.Add(out, &q, 0)
}

// sample returns the sample at a position.
func sample[T, G sampling.Float](p *plan[G], vx, vy G) (q sampling.Quad[T]) {
	x, dx := p.x.floor(vx)
	y, dy := p.y.floor(vy)
	switch {
	case dy != dy || dx != dx:
		q.SetNaN()
	case uint64(y) < uint64(p.h-1) && uint64(x) < uint64(p.w-1):
		at := int(y)*p.w + int(x)
		q.At = [4]int{at, at + 1, at + p.w, at + p.w + 1}
		q.Weights = [4]T{T((1 - dy) * (1 - dx)), T((1 - dy) * dx), T(dy * (1 - dx)), T(dy * dx)}
	default:
		q.Set([2]int{p.y.at(y), p.y.at(y + 1)}, [2]int{p.x.at(x), p.x.at(x + 1)}, [2]T{T(1 - dy), T(dy)}, [2]T{T(1 - dx), T(dx)}, p.h, p.w)
	}
	return q
}

// bicubic is like bilinear.
func bicubic[T, G sampling.Float](p *plan[G], image *sampling.Image[T], out []T, gx, gy G) {
	y, dy := p.y.floor(p.y.position(gy))
	x, dx := p.x.floor(p.x.position(gx))
	var q sampling.Quad[T]
	if dy != dy || dx != dx {
		q.SetNaN()
		image.Add(out, &q, 0)
		return
	}
	wy, wx := cubic(T(dy)), cubic(T(dx))
	for j := range 2 {
		for i := range 2 {
			k, l := int64(2*j)-1, int64(2*i)-1
			q.Set([2]int{p.y.at(y + k), p.y.at(y + k + 1)}, [2]int{p.x.at(x + l), p.x.at(x + l + 1)},
				[2]T(wy[2*j:]), [2]T(wx[2*i:]), p.h, p.w)
			image.Add(out, &q, 0)
		}
	}
}

// cubic returns the weights of the four elements around a position, which is d beyond the second
// one: those of cubic convolution with the coefficient -0.75.
func cubic[T sampling.Float](d T) [4]T {
	const a = -0.75
	near := func(d T) T { return ((a+2)*d-(a+3))*d*d + 1 }
	far := func(d T) T { return ((a*d-5*a)*d+8*a)*d - 4*a }
	return [4]T{far(d + 1), near(d), near(1 - d), far(2 - d)}
}
