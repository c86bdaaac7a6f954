package detection

import (
	"errors"
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/memory"
)

// Scratch adds up the areas of a kernel's scratch memory. The zero value has no areas.
type Scratch struct {
	bytes int64 // above maxScratch if the areas need more than fits
}

// Area is a part of the scratch memory that holds elements of type T.
type Area[T any] struct {
	offset, n int
}

// maxScratch is the greatest size of scratch memory that can be rounded up to a cache line.
const maxScratch = math.MaxInt - memory.Align

// AreaOf adds an area with the given lengths to s. It starts at a cache line. T must not contain pointers.
func AreaOf[T any](s *Scratch, lengths ...int) Area[T] {
	if s.bytes > maxScratch {
		return Area[T]{}
	}
	s.bytes = (s.bytes + memory.Align - 1) &^ (memory.Align - 1)
	a := Area[T]{offset: int(s.bytes), n: 1}
	s.bytes = memory.Sum(s.bytes, memory.Size[T](lengths...))
	if s.bytes <= maxScratch {
		for _, n := range lengths {
			a.n *= n
		}
	}
	return a
}

// Bytes returns the size of all areas, or an error if it does not fit an int.
func (s *Scratch) Bytes() (int, error) {
	if s.bytes > maxScratch {
		return 0, errors.New("the kernel needs more bytes of memory than fit an int")
	}
	return int(s.bytes), nil
}

// In returns the elements of the area in the scratch memory of a run. It is not inlined, as it has many callers.
//
//go:noinline
func (a Area[T]) In(scratch []byte) []T { return cast.Bytes[T](scratch[a.offset:])[:a.n:a.n] }

// Piece returns n elements of the area from lo on.
func (a Area[T]) Piece(scratch []byte, lo, n int) []T { return a.In(scratch)[lo : lo+n : lo+n] }
