package detection

import (
	"math"
	"math/bits"
	"unsafe"
)

// Box is a box with parallel sides, from the corner (X1, Y1) to (X2, Y2), and its area. X and Y can
// change places.
type Box[T Float] struct {
	X1, Y1, X2, Y2, Area T
}

// BoxOf returns the box between two corners. extent is 0 if coordinates are normalized. It is 1 if they
// are indices of pixels: then a box contains the pixels of both corners.
func BoxOf[T Float](x1, y1, x2, y2, extent T) Box[T] {
	return Box[T]{x1, y1, x2, y2, T(x2-x1+extent) * T(y2-y1+extent)}
}

// IoU returns the area of the intersection of two boxes over that of their union. It is 0 if they have no
// area in common, as is the case for all boxes whose second corner is below the first one.
func (a *Box[T]) IoU(b *Box[T], extent T) T {
	// min and max have no branches, which the processor could not predict.
	w := min(a.X2, b.X2) - max(a.X1, b.X1) + extent
	h := min(a.Y2, b.Y2) - max(a.Y1, b.Y1) + extent
	if w <= 0 || h <= 0 {
		return 0
	}
	common := T(w * h)
	return common / (a.Area + b.Area - common)
}

// Before returns the largest number below t. v >= t is the same as v > Before(t), for all v but NaN.
func Before[T Float](t T) T {
	if unsafe.Sizeof(t) == 4 {
		return T(math.Nextafter32(float32(t), float32(math.Inf(-1))))
	}
	return T(math.Nextafter(float64(t), math.Inf(-1)))
}

// Selection is a list of boxes without overlap, to which a greedy suppression adds one box after the
// other. SelectionMemory.New makes one in given memory.
type Selection[T Float] struct {
	// Above is the threshold: boxes overlap if their IoU is above it. NaN is above nothing. Before turns the
	// threshold into a limit that also counts. It can be lowered while boxes are added.
	Above T
	// NoAreaNoIoU means that two boxes without area do not overlap, even if the threshold is negative: their
	// IoU is 0 / 0.
	NoAreaNoIoU bool

	extent T
	n      int
	boxes  []Box[T]
	sets   []cellSets // of the boxes, 64 each, if n is fewBoxes or more
	x, y   axis[T]
}

// SelectionMemory is memory for selections.
type SelectionMemory[T Float] struct {
	limit int
	boxes Area[Box[T]]
	sets  Area[cellSets]
}

// SelectionMemoryOf adds memory for a number of selections of up to limit boxes to s.
func SelectionMemoryOf[T Float](s *Scratch, selections, limit int) SelectionMemory[T] {
	return SelectionMemory[T]{limit, AreaOf[Box[T]](s, selections, limit), AreaOf[cellSets](s, selections, wordsOf(limit))}
}

// New returns an empty selection in the memory of selection i. extent is that of BoxOf.
func (m *SelectionMemory[T]) New(scratch []byte, i int, above, extent T) Selection[T] {
	words := wordsOf(m.limit)
	return Selection[T]{
		Above: above, extent: extent,
		boxes: m.boxes.Piece(scratch, i*m.limit, m.limit), sets: m.sets.Piece(scratch, i*words, words),
	}
}

// Len returns the number of boxes.
func (s *Selection[T]) Len() int { return s.n }

// At returns box i, in the order in which they were added.
func (s *Selection[T]) At(i int) *Box[T] { return &s.boxes[i] }

// Add adds a box unless it overlaps one in the selection, and reports whether it has. The selection must not
// be full.
func (s *Selection[T]) Add(box *Box[T]) bool {
	if s.overlaps(box) {
		return false
	}
	s.Append(box)
	return true
}

// Append adds a box, whether or not it overlaps one in the selection. The selection must not be full.
func (s *Selection[T]) Append(box *Box[T]) {
	s.boxes[s.n] = *box
	s.n++
	switch {
	case s.n == fewBoxes:
		s.setAxes()
		for i := range fewBoxes {
			s.enter(i)
		}
	case s.n > fewBoxes:
		s.enter(s.n - 1)
	}
}

// overlaps reports whether box overlaps one in the selection.
func (s *Selection[T]) overlaps(box *Box[T]) bool {
	if s.Above < 0 || s.n < fewBoxes {
		for i := range s.boxes[:s.n] {
			other := &s.boxes[i]
			if box.IoU(other, s.extent) > s.Above && !(s.NoAreaNoIoU && box.Area+other.Area == 0) {
				return true
			}
		}
		return false
	}
	x1, y1, x2, y2 := s.cells(box)
	for i := range s.sets[:wordsOf(s.n)] {
		set := &s.sets[i]
		for near := set.x1[x2] & set.x2[x1] & set.y1[y2] & set.y2[y1]; near != 0; near &= near - 1 {
			if box.IoU(&s.boxes[64*i+bits.TrailingZeros64(near)], s.extent) > s.Above {
				return true
			}
		}
	}
	return false
}
