package gridsample

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// planes is the kernel of mode bilinear for images of one channel in f32, such as the lookups of
// optical flow, that are not empty. Many points are computed at once, as there are no channels to
// share the positions.
type planes struct {
	plan[float32]
	vectors *vectors // may be nil
	blocks  int      // of points of an image
}

const (
	// stepPoints is the number of points that a step of the assembly computes.
	stepPoints = 8
	// planePoints is the number of points of an item of work, and pointCost the cost of a point.
	planePoints = 256
	pointCost   = 4
)

func preparePlanes(pl plan[float32]) *ops.Prepared {
	k := &planes{plan: pl, vectors: newVectors(&pl), blocks: (pl.points + planePoints - 1) / planePoints}
	items, part := k.n*k.blocks, k.part
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(items, ops.Grain(planePoints*pointCost), part) }}
}

// part computes blocks of points, counted over the images.
func (k *planes) part(r *ops.Run, lo, hi int) error {
	data, grid, out := ir.Data[float32](r.Inputs[0]), ir.Data[float32](r.Inputs[1]), ir.Data[float32](r.Outputs[0])
	meter := r.Stop.Meter()
	for ; lo < hi && !meter.Spent(8*planePoints); lo++ {
		image, first := lo/k.blocks, lo%k.blocks*planePoints
		at := image*k.points + first
		n := min(planePoints, k.points-first)
		k.sample(out[at:at+n], data[image*k.h*k.w:][:k.h*k.w], grid[2*at:2*(at+n)])
	}
	return nil
}

// sample sets out to the samples of a plane at the points of grid.
func (k *planes) sample(out, plane, grid []float32) {
	var bits [planePoints / stepPoints]uint8
	k.vectors.sample(out, plane, grid, bits[:])
	for at := 0; at < len(out); at += stepPoints {
		done := bits[at/stepPoints]
		if done == 1<<stepPoints-1 {
			continue
		}
		for i := at; i < min(at+stepPoints, len(out)); i++ {
			if done>>(i-at)&1 == 0 {
				out[i] = k.single(plane, k.x.position(grid[2*i]), k.y.position(grid[2*i+1]))
			}
		}
	}
}

// single returns the sample at a position. The conversions keep the compiler from fusing products
// with sums, as the assembly does not.
func (k *planes) single(plane []float32, vx, vy float32) float32 {
	x, right := k.x.floor(vx)
	y, low := k.y.floor(vy)
	if right != right || low != low {
		return float32(math.NaN())
	}
	left, high := 1-right, 1-low
	var a, b, c, d float32
	if uint64(x) < uint64(k.w-1) && uint64(y) < uint64(k.h-1) {
		at := int(y)*k.w + int(x)
		a, b, c, d = plane[at], plane[at+1], plane[at+k.w], plane[at+k.w+1]
	} else {
		x0, x1, y0, y1 := k.x.at(x), k.x.at(x+1), k.y.at(y), k.y.at(y+1)
		a, b, c, d = k.element(plane, y0, x0), k.element(plane, y0, x1), k.element(plane, y1, x0), k.element(plane, y1, x1)
	}
	return float32(high*float32(float32(left*a)+float32(right*b))) + float32(low*float32(float32(left*c)+float32(right*d)))
}

// element returns an element of a plane, or 0 if y or x is sampling.Outside.
func (k *planes) element(plane []float32, y, x int) float32 {
	if y < 0 || x < 0 {
		return 0
	}
	return plane[y*k.w+x]
}
