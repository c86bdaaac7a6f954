package detection

import (
	"errors"
	"math"
	"math/bits"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// MaxDeltaLog is the limit of the logarithms of factors of sizes in networks of the Detectron
// family: log(1000/16).
const MaxDeltaLog = 4.135166556742356

// Refinement moves and stretches a box.
type Refinement[T Float] struct {
	// Extent is that of BoxOf. It is part of the size of the box that is refined.
	Extent T
	// Inset is subtracted from the second corner.
	Inset T
	// MaxLog limits the logarithms of the factors of the width and the height.
	MaxLog T
}

// Apply returns box (x1, y1, x2, y2), moved by dx and dy times its width and height, and stretched
// by e to the power of dw and dh.
func (r *Refinement[T]) Apply(box [4]T, dx, dy, dw, dh T) [4]T {
	w, h := box[2]-box[0]+r.Extent, box[3]-box[1]+r.Extent
	x := T(dx*w) + (box[0] + T(w/2))
	y := T(dy*h) + (box[1] + T(h/2))
	// NaN stays as it is.
	if dw > r.MaxLog {
		dw = r.MaxLog
	}
	if dh > r.MaxLog {
		dh = r.MaxLog
	}
	w *= T(math.Exp(float64(dw)))
	h *= T(math.Exp(float64(dh)))
	return [4]T{x - T(w/2), y - T(h/2), x + T(w/2) - r.Inset, y + T(h/2) - r.Inset}
}

// Clip limits the coordinates of box to the range from 0 to width or height. NaN becomes 0, and so
// do all coordinates if the limit is negative.
func Clip[T Float](box [4]T, width, height T) [4]T {
	return [4]T{clip(box[0], width), clip(box[1], height), clip(box[2], width), clip(box[3], height)}
}

func clip[T Float](v, limit T) T {
	if v > limit {
		v = limit
	}
	if v > 0 {
		return v
	}
	return 0
}

// Picker selects boxes greedily: each box whose IoU with all boxes selected before is not above a
// threshold. Boxes that do not touch have no IoU, even if they contain pixels beyond their corners.
type Picker[T Float] struct {
	Above T
	// Extent is that of BoxOf.
	Extent T
	// Limit is the greatest number of boxes to select.
	Limit int
}

// Proposals is a list of boxes and their scores, in the memory of a kernel.
type Proposals[T Float] struct {
	// Candidates are in the order of the boxes. They can be more than Len.
	Candidates, spare []Candidate[T]

	n                    int
	x1, y1, x2, y2, area []T
	sides                []T // these lists, one after the other
	vector               instructions
	plane                []T
}

// Len returns the number of boxes.
func (p *Proposals[T]) Len() int { return p.n }

// Box returns box i.
func (p *Proposals[T]) Box(i int) [4]T { return [4]T{p.x1[i], p.y1[i], p.x2[i], p.y2[i]} }

// Full reports whether there is no room for another box.
func (p *Proposals[T]) Full() bool { return p.n == len(p.x1) }

// Add adds a box. Its candidate replaces the first one in Candidates that has no box.
func (p *Proposals[T]) Add(box [4]T, c Candidate[T]) {
	p.Candidates[p.n] = c
	p.set(p.n, box)
	p.n++
}

func (p *Proposals[T]) set(i int, box [4]T) {
	p.x1[i], p.y1[i], p.x2[i], p.y2[i] = box[0], box[1], box[2], box[3]
}

// Clear removes all boxes.
func (p *Proposals[T]) Clear() { p.n = 0 }

// Pick removes the boxes that picker does not select. It ends early if the work must stop; meter
// counts the work.
func (p *Proposals[T]) Pick(picker *Picker[T], meter *parallel.Meter) {
	n := 0
	for i := range p.n {
		if n >= picker.Limit || meter.Spent(n+1) {
			break
		}
		box := p.Box(i)
		area := T(box[2]-box[0]+picker.Extent) * T(box[3]-box[1]+picker.Extent)
		if p.overlaps(picker, n, &box, area) {
			continue
		}
		p.set(n, box)
		p.area[n] = area
		p.Candidates[n] = p.Candidates[i]
		n++
	}
	p.n = n
}

// overlaps reports whether the IoU of box and one of the first n boxes is above the threshold.
func (p *Proposals[T]) overlaps(picker *Picker[T], n int, box *[4]T, area T) bool {
	above, extent, apart := picker.Above, picker.Extent, picker.Above < 0
	if p.vector != 0 && !apart {
		return p.overlapsAny(picker, n, &Box[T]{box[0], box[1], box[2], box[3], area})
	}
	bx1, by1, bx2, by2 := box[0], box[1], box[2], box[3]
	x1s, y1s, x2s, y2s, areas := p.x1[:n], p.y1[:n], p.x2[:n], p.y2[:n], p.area[:n]
	for i, x1 := range x1s {
		if x1 > bx2 {
			if apart {
				return true
			}
			continue
		}
		y1, x2, y2 := y1s[i], x2s[i], y2s[i]
		if x2 < bx1 || y1 > by2 || y2 < by1 {
			if apart {
				return true
			}
			continue
		}
		w, h := min(x2, bx2)-max(x1, bx1)+extent, min(y2, by2)-max(y1, by1)+extent
		common := T(max(w, 0) * max(h, 0))
		if common/(area+areas[i]-common) > above {
			return true
		}
	}
	return false
}

// overlapsAny is overlaps by vector instructions, for a threshold that is not negative.
func (p *Proposals[T]) overlapsAny(picker *Picker[T], n int, box *Box[T]) bool {
	for lo := 0; lo < n; lo += boxesAtOnce {
		set := overlap(p.vector, box, p.sides[lo:], len(p.sides)/5, picker.Extent, picker.Above) & firstOf(n-lo)
		for ; set != 0; set &= set - 1 {
			i := lo + bits.TrailingZeros64(set)
			if !(p.x1[i] > box.X2 || p.x2[i] < box.X1 || p.y1[i] > box.Y2 || p.y2[i] < box.Y1) {
				return true
			}
		}
	}
	return false
}

// Grid describes the outputs of a region proposal network: for each image, scores
// [Anchors,Height,Width] and deltas [Anchors*4,Height,Width]. Boxes are numbered in the order
// [Height,Width,Anchors].
type Grid[T Float] struct {
	Anchors, Height, Width int
	load                   Loader[T]
	candidates, spare      ops.Area[Candidate[T]]
	boxes, plane           ops.Area[T]
	limit                  int
	// elements of a list of numbers of boxes, whole vectors if there are vector instructions
	stride int
	vector instructions
}

// NewGrid returns a Grid of tensors of type t, one of the types of LoaderOf, and adds memory for
// the lists of a number of images to s. The lists have up to limit boxes.
func NewGrid[T Float](s *ops.Scratch, t ir.ElementType, images, anchors, height, width, limit int) (*Grid[T], error) {
	g := &Grid[T]{Anchors: anchors, Height: height, Width: width}
	if n := memory.Size[int8](anchors, height, width); n > math.MaxInt32 {
		return nil, faults.Errorf("an image has %d boxes, more than fit 32 bits", n)
	}
	if limit < 0 {
		return nil, errors.New("BUG: the limit is negative")
	}
	g.limit = min(limit, g.Boxes())
	var err error
	if g.load, err = LoaderOf[T]("the input", t); err != nil {
		return nil, err
	}
	g.candidates, g.spare = ops.AreaOf[Candidate[T]](s, images, g.Boxes()), ops.AreaOf[Candidate[T]](s, images, g.Boxes())
	if g.stride, g.vector = g.limit, pickInstructions[T](); g.vector != 0 {
		g.stride = wordsOf(g.limit) * boxesAtOnce
	}
	g.boxes, g.plane = ops.AreaOf[T](s, images, 5, g.stride), ops.AreaOf[T](s, images, height, width)
	return g, nil
}

// Boxes returns the number of boxes of an image.
func (g *Grid[T]) Boxes() int { return g.Anchors * g.Height * g.Width }

// Limit returns the greatest number of boxes of a list: that of NewGrid, or the number of boxes of
// an image if it is smaller.
func (g *Grid[T]) Limit() int { return g.limit }

// At returns element i of a tensor.
func (g *Grid[T]) At(t *ir.Tensor, i int) T { return NumberAt[T](t, i) }

// Delta returns number k of the four deltas of a box. at is the first element of the image.
func (g *Grid[T]) Delta(deltas *ir.Tensor, at, box, k int) T {
	plane := g.Height * g.Width
	return g.At(deltas, at+(box%g.Anchors*4+k)*plane+box/g.Anchors)
}

// Image returns an empty list in the memory of an image. The memory keeps the boxes and candidates
// of a list that was there before.
func (g *Grid[T]) Image(r *ops.Run, image int) Proposals[T] {
	n, plane := g.Boxes(), g.Height*g.Width
	boxes := g.boxes.Piece(r, image*5*g.stride, 5*g.stride)
	part := func(i int) []T { return boxes[i*g.stride:][:g.limit] }
	return Proposals[T]{
		Candidates: g.candidates.Piece(r, image*n, n), spare: g.spare.Piece(r, image*n, n),
		x1: part(0), y1: part(1), x2: part(2), y2: part(3), area: part(4),
		sides: boxes, vector: g.vector,
		plane: g.plane.Piece(r, image*plane, plane),
	}
}

// Sort sets the candidates to all boxes of an image, in the order of their scores. at is the first
// element of the image. It ends early if the work must stop; meter counts the work.
func (g *Grid[T]) Sort(p *Proposals[T], scores *ir.Tensor, at int, meter *parallel.Meter) {
	plane := len(p.plane)
	for a := range g.Anchors {
		for lo := 0; lo < plane; lo += scoresPerCheck {
			n := min(scoresPerCheck, plane-lo)
			if meter.Spent(2*n + 8) {
				return
			}
			for i, score := range g.load(p.plane[:n], scores, at+a*plane+lo, n) {
				index := (lo+i)*g.Anchors + a
				p.Candidates[index] = Candidate[T]{score, int32(index)}
			}
		}
	}
	p.Resort(meter)
}

// Resort sorts the candidates by score again. They must be in ascending order of Index.
func (p *Proposals[T]) Resort(meter *parallel.Meter) { Sort(meter, p.Candidates, p.spare) }
