package gridsample

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/sampling"
)

// prepareNearest returns the kernel of mode nearest, which copies elements of any type.
func prepareNearest[G sampling.Float](p *ops.Preparation, pl plan[G]) (*ops.Prepared, error) {
	n := &nearest[G]{plan: pl, blocks: (pl.points + nearestPoints - 1) / nearestPoints}
	var part ops.Part
	switch p.Inputs[0].Type.Size() {
	case 1:
		part = nearestPart[uint8](n)
	case 2:
		part = nearestPart[uint16](n)
	case 4:
		part = nearestPart[uint32](n)
	default:
		part = nearestPart[uint64](n)
	}
	items := n.n * n.blocks
	if n.c == 0 {
		items = 0
	}
	grain := ops.Grain(nearestPoints * float64(n.c) / 2)
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(items, grain, part) }}, nil
}

const (
	// nearestPoints is the number of points of an item of work: those whose positions are computed
	// at once.
	nearestPoints = 256
)

type nearest[G sampling.Float] struct {
	plan[G]
	blocks int // of points of an image
}

// nearestPart returns the function that computes blocks of points, counted over the images.
func nearestPart[T uint8 | uint16 | uint32 | uint64, G sampling.Float](n *nearest[G]) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		data, out := ir.Data[T](r.Inputs[0]), ir.Data[T](r.Outputs[0])
		meter := r.Stop.Meter()
		var positions [nearestPoints]int
		for ; lo < hi; lo++ {
			image, first := lo/n.blocks, lo%n.blocks*nearestPoints
			at := positions[:min(nearestPoints, n.points-first)]
			n.place(at, r.Inputs[1], image*n.points+first)
			plane := n.h * n.w
			for c := 0; c < n.c && !meter.Spent(2*len(at)); c += 2 {
				channel := image*n.c + c
				a, from := out[channel*n.points+first:][:len(at)], data[channel*plane:][:plane]
				if c+1 == n.c {
					gather(a, from, at)
					break
				}
				gather2(a, out[(channel+1)*n.points+first:][:len(at)], from, data[(channel+1)*plane:][:plane], at)
			}
		}
		return nil
	}
}

// gather sets out to the elements of plane at the given positions, or to 0 where there is none.
func gather[T uint8 | uint16 | uint32 | uint64](out, plane []T, at []int) {
	at = at[:len(out)]
	for i := range out {
		var v T
		if j := at[i]; uint(j) < uint(len(plane)) {
			v = plane[j]
		}
		out[i] = v
	}
}

// gather2 is gather for two planes, of which one is as long as the other. It reads the positions
// once.
func gather2[T uint8 | uint16 | uint32 | uint64](outA, outB, planeA, planeB []T, at []int) {
	at, outB, planeB = at[:len(outA)], outB[:len(outA)], planeB[:len(planeA)]
	for i := range outA {
		var a, b T
		if j := at[i]; uint(j) < uint(len(planeA)) {
			a, b = planeA[j], planeB[j]
		}
		outA[i], outB[i] = a, b
	}
}

// place sets positions to those that the points of grid from number first on read, or to
// sampling.Outside.
func (n *nearest[G]) place(positions []int, grid *ir.Tensor, first int) {
	var coordinates [2 * nearestPoints]G
	xy := coordinates[:2*len(positions)]
	sampling.Load(xy, grid, 2*first)
	for i := range positions {
		x := n.x.at(n.x.nearest(n.x.position(xy[2*i])))
		y := n.y.at(n.y.nearest(n.y.position(xy[2*i+1])))
		positions[i] = sampling.Outside
		if uint(x) < uint(n.w) && uint(y) < uint(n.h) {
			positions[i] = y*n.w + x
		}
	}
}
