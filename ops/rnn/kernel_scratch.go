package rnn

import (
	"errors"
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ops"
)

// scratch lays out the scratch memory.
type scratch struct {
	bytes int
	err   error
}

// area is a part of the scratch memory, for n elements of type T.
type area[T any] struct{ at, n int }

// take reserves memory for a tensor of the given lengths.
func take[T any](s *scratch, lengths ...int) area[T] {
	size := memory.Size[T](lengths...)
	if total := memory.Sum(size, int64(s.bytes), memory.Align); total > math.MaxInt {
		s.err = errors.New("the gates of all steps need more bytes of memory than fit an int")
		return area[T]{}
	}
	a := area[T]{s.bytes, int(size) / int(unsafe.Sizeof(*new(T)))}
	s.bytes += memory.Padded[byte](int(size))
	return a
}

// of returns the area in a run. It is not inlined: each loop nest takes several areas before it
// starts.
//
//go:noinline
func (a area[T]) of(r *ops.Run) []T { return cast.Bytes[T](r.Scratch[a.at:])[:a.n] }
