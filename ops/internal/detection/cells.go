package detection

import "math"

const (
	// cellCount is the number of cells that a Selection divides each axis into.
	cellCount = 32
	// fewBoxes is the number of boxes from which on cells are faster than all IoU.
	fewBoxes = 24
	// fewForVectors is the same if vector instructions compare 64 boxes at once.
	fewForVectors = 512
	// fewNear is the largest number of near boxes that are compared one by one even then.
	fewNear = 4
)

// cellSets has, for 64 boxes, the set of those that start in each cell or before it, and of those
// that end in it or after it, along both axes. Two boxes can only overlap if each starts before the
// other ends: four sets have all boxes that can overlap another one in common.
type cellSets struct {
	x1, y1, x2, y2 [cellCount]uint64
}

// wordsOf returns the number of cellSets for n boxes.
func wordsOf(n int) int { return n/64 + (n%64+63)/64 }

// axis divides coordinates into cells. A scale of 0 puts all of them into one.
type axis[T Float] struct {
	origin, scale T
}

// axisOf returns the axis for coordinates between lo and hi. Those outside are in the first and
// last cell.
func axisOf[T Float](lo, hi T) axis[T] {
	if scale := cellCount / (hi - lo); scale > 0 && scale <= math.MaxFloat32 {
		return axis[T]{lo, scale}
	}
	return axis[T]{}
}

// cell returns the number of the cell of a coordinate. It is not smaller for a larger coordinate.
// NaN, whose boxes overlap nothing, has cell 0.
func (a *axis[T]) cell(v T) int {
	switch f := (v - a.origin) * a.scale; {
	case f >= cellCount-1:
		return cellCount - 1
	case f > 0:
		return int(f)
	}
	return 0
}

// setAxes divides both axes so that the boxes in the selection fill all cells.
func (s *Selection[T]) setAxes() {
	var x, y span[T]
	for i := range s.boxes[:s.n] {
		b := &s.boxes[i]
		x.include(b.X1)
		x.include(b.X2)
		y.include(b.Y1)
		y.include(b.Y2)
	}
	s.x, s.y = axisOf(x.lo, x.hi), axisOf(y.lo, y.hi)
}

// span is the range of the finite numbers that it includes.
type span[T Float] struct {
	lo, hi T
	any    bool
}

func (s *span[T]) include(v T) {
	switch {
	case v-v != 0: // not finite
	case !s.any:
		s.lo, s.hi, s.any = v, v, true
	default:
		s.lo, s.hi = min(s.lo, v), max(s.hi, v)
	}
}

// cells returns the cells of the corners of a box, which it makes larger by more than rounding can
// hide of the extent.
func (s *Selection[T]) cells(b *Box[T]) (x1, y1, x2, y2 int) {
	margin := 2 * s.extent
	return s.x.cell(b.X1 - margin), s.y.cell(b.Y1 - margin), s.x.cell(b.X2 + margin), s.y.cell(b.Y2 + margin)
}

// enter adds box i to the sets of its cells.
func (s *Selection[T]) enter(i int) {
	x1, y1, x2, y2 := s.cells(&s.boxes[i])
	set, bit := &s.sets[i/64], uint64(1)<<(i%64)
	if bit == 1 {
		*set = cellSets{}
	}
	mark(set.x1[x1:], bit)
	mark(set.y1[y1:], bit)
	mark(set.x2[:x2+1], bit)
	mark(set.y2[:y2+1], bit)
}

func mark(sets []uint64, bit uint64) {
	for i := range sets {
		sets[i] |= bit
	}
}
