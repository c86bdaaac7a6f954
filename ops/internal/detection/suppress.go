package detection

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/subnormal"
	"github.com/vinoir/vinoir/ops"
)

// Box is a box with parallel sides, from the corner (X1, Y1) to (X2, Y2), and its area. X and Y can
// change places.
type Box[T Float] struct {
	X1, Y1, X2, Y2, Area T
}

// BoxOf returns the box between two corners. extent is 0 if coordinates are normalized. It is 1 if
// they are indices of pixels: then a box contains the pixels of both corners.
func BoxOf[T Float](x1, y1, x2, y2, extent T) Box[T] {
	return Box[T]{x1, y1, x2, y2, T(x2-x1+extent) * T(y2-y1+extent)}
}

// IoU returns the area of the intersection of two boxes over that of their union. It is 0 if they
// have no area in common, as is the case for all boxes whose second corner is below the first one.
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

// Before returns the largest number below t. v >= t is the same as v > Before(t), for all v but
// NaN, as long as the thread that compares flushes subnormal numbers if the one that calls Before
// does.
func Before[T Float](t T) T { return subnormal.Next(t, false) }

// Selection is a list of boxes without overlap, to which a greedy suppression adds one box after
// the other. SelectionMemory.New makes one in given memory.
type Selection[T Float] struct {
	// Above is the threshold: boxes overlap if their IoU is above it. NaN is above nothing. Before
	// turns the threshold into a limit that also counts. It can be lowered while boxes are added.
	Above T
	// NoAreaNoIoU means that two boxes without area do not overlap, even if the threshold is
	// negative: their IoU is 0 / 0.
	NoAreaNoIoU bool

	extent T
	n      int
	boxes  []Box[T]
	vector instructions
	// of the boxes, if there are vector instructions: a list for each field of Box
	sides []T
	few   int        // from this number of boxes on, sets are used
	sets  []cellSets // of the boxes, 64 each
	x, y  axis[T]
}

// boxesAtOnce is the number of boxes that vector instructions compare with one.
const boxesAtOnce = 64

// SelectionMemory is memory for selections.
type SelectionMemory[T Float] struct {
	limit  int // boxes of a selection
	boxes  ops.Area[Box[T]]
	sets   ops.Area[cellSets]
	vector instructions
	sides  ops.Area[T] // if there are vector instructions
}

// SelectionMemoryOf adds memory for a number of selections of up to limit boxes to s.
func SelectionMemoryOf[T Float](s *ops.Scratch, selections, limit int) SelectionMemory[T] {
	m := SelectionMemory[T]{limit: limit, boxes: ops.AreasOf[Box[T]](s, selections, limit), sets: ops.AreasOf[cellSets](s, selections, wordsOf(limit))}
	if m.vector = pickInstructions[T](); m.vector != 0 {
		m.sides = ops.AreasOf[T](s, selections, 5, wordsOf(limit), boxesAtOnce)
	}
	return m
}

// New returns an empty selection in the memory of selection i. extent is that of BoxOf.
func (m *SelectionMemory[T]) New(r *ops.Run, i int, above, extent T) Selection[T] {
	s := Selection[T]{Above: above, extent: extent, few: fewBoxes, boxes: m.boxes.Of(r, i), sets: m.sets.Of(r, i)}
	if m.vector != 0 && m.limit > 0 {
		s.vector, s.few, s.sides = m.vector, fewForVectors, m.sides.Of(r, i)
	}
	return s
}

// Len returns the number of boxes.
func (s *Selection[T]) Len() int { return s.n }

// At returns box i, in the order in which they were added.
func (s *Selection[T]) At(i int) *Box[T] { return &s.boxes[i] }

// Add adds a box unless it overlaps one in the selection, and reports whether it has. The selection
// must not be full.
func (s *Selection[T]) Add(box *Box[T]) bool {
	if s.overlaps(box) {
		return false
	}
	s.Append(box)
	return true
}

// Append adds a box, whether or not it overlaps one in the selection. The selection must not be
// full.
func (s *Selection[T]) Append(box *Box[T]) {
	s.boxes[s.n] = *box
	if s.vector != 0 {
		for i, v := range [...]T{box.X1, box.Y1, box.X2, box.Y2, box.Area} {
			s.sides[s.n+i*s.stride()] = v
		}
	}
	s.n++
	switch {
	case s.n == s.few:
		s.setAxes()
		for i := range s.n {
			s.enter(i)
		}
	case s.n > s.few:
		s.enter(s.n - 1)
	}
}

// overlaps reports whether box overlaps one in the selection.
func (s *Selection[T]) overlaps(box *Box[T]) bool {
	if s.Above < 0 || s.n < s.few {
		if s.vector != 0 && !(s.Above < 0) {
			return s.overlapsAny(box)
		}
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
		near := set.x1[x2] & set.x2[x1] & set.y1[y2] & set.y2[y1]
		if s.vector != 0 && bits.OnesCount64(near) > fewNear {
			if overlap(s.vector, box, s.sides[boxesAtOnce*i:], s.stride(), s.extent, s.Above)&near != 0 {
				return true
			}
			continue
		}
		for ; near != 0; near &= near - 1 {
			if box.IoU(&s.boxes[64*i+bits.TrailingZeros64(near)], s.extent) > s.Above {
				return true
			}
		}
	}
	return false
}

// overlapsAny is overlaps for a threshold that is not negative, by vector instructions. Two boxes
// without area do not overlap then.
func (s *Selection[T]) overlapsAny(box *Box[T]) bool {
	for i := 0; i < s.n; i += boxesAtOnce {
		if overlap(s.vector, box, s.sides[i:], s.stride(), s.extent, s.Above)&firstOf(s.n-i) != 0 {
			return true
		}
	}
	return false
}

// stride returns the distance between two lists of sides.
func (s *Selection[T]) stride() int { return len(s.sides) / 5 }

// overlap returns the set of 64 boxes whose IoU with box is above a limit, which must not be
// negative. The first fields of the boxes are at the start of sides, and each other field is stride
// elements behind the one before. T is float32.
func overlap[T Float](by instructions, box *Box[T], sides []T, stride int, extent, above T) uint64 {
	return by.overlap((*float32)(unsafe.Pointer(box)), cast.Slice[float32](sides), stride, float32(extent), float32(above))
}

// firstOf returns the set of the first n of 64 boxes.
func firstOf(n int) uint64 {
	if n < 64 {
		return 1<<n - 1
	}
	return math.MaxUint64
}
