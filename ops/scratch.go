package ops

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/memory"
)

// Scratch lays out the scratch memory of a kernel. Prepare adds areas to it and sets
// Prepared.ScratchBytes to Bytes; the kernel asks the areas for their elements. The zero value has
// no areas.
type Scratch struct {
	bytes int64 // above maxScratch if the areas need more than fits
}

// Area is a part of the scratch memory that holds elements of type T, once or for each worker. It
// starts at a cache line. Its content is undefined when a run starts.
type Area[T any] struct {
	offset, n, stride int // in bytes, elements, and bytes from one worker to the next
}

// maxScratch is the greatest size of scratch memory that can be rounded up to a cache line.
const maxScratch = math.MaxInt - memory.Align

// AreaOf adds an area with the given lengths to s. T must not contain pointers.
func AreaOf[T any](s *Scratch, lengths ...int) Area[T] { return AreasOf[T](s, 1, lengths...) }

// AreasOf adds an area with the given lengths for each worker. Two workers share no cache line. If
// there is one worker, all may ask for its area. T must not contain pointers.
func AreasOf[T any](s *Scratch, workers int, lengths ...int) Area[T] {
	if workers == 0 {
		return Area[T]{}
	}
	size := memory.Size[T](lengths...)
	offset, stride := s.take(size, workers)
	return Area[T]{offset, int(min(size, maxScratch)) / int(unsafe.Sizeof(*new(T))), stride}
}

// take adds size bytes for each worker and returns where they start and the distance between them.
func (s *Scratch) take(size int64, workers int) (offset, stride int) {
	if s.bytes > maxScratch || size > maxScratch {
		s.bytes = math.MaxInt64
		return 0, 0
	}
	offset, stride = memory.Padded[byte](int(s.bytes)), memory.Padded[byte](int(size))
	s.bytes = memory.Sum(int64(offset), memory.Size[byte](workers-1, stride), size)
	if workers == 1 {
		stride = 0
	}
	return offset, stride
}

// Bytes returns the size of all areas. It is math.MaxInt if they need more than fits an int, which
// PrepareKernel refuses.
//
// It is not inlined: the code of the command would be 9 KiB larger.
//
//go:noinline
func (s *Scratch) Bytes() int {
	if s.bytes > maxScratch {
		return math.MaxInt
	}
	return int(s.bytes)
}

// Len returns the number of elements of the area of a worker.
func (a Area[T]) Len() int { return a.n }

// In returns the elements of the area of the first worker. It is not inlined: see Run.For.
//
//go:noinline
func (a Area[T]) In(r *Run) []T { return cast.Bytes[T](r.Scratch[a.offset:])[:a.n:a.n] }

// Of returns the elements of the area of a worker. It is not inlined: see Run.For.
//
//go:noinline
func (a Area[T]) Of(r *Run, worker int) []T {
	return cast.Bytes[T](r.Scratch[a.offset+worker*a.stride:])[:a.n:a.n]
}

// Piece returns n elements of the area of the first worker from lo on.
func (a Area[T]) Piece(r *Run, lo, n int) []T { return a.In(r)[lo : lo+n : lo+n] }
