// Package limits bounds the memory and time of work on text.
package limits

import (
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Limits bounds the work of one caller. The zero value has no limits.
type Limits struct {
	// Reserve is asked for memory that a long text needs, before it is allocated. nil means that
	// there is no limit.
	Reserve func(bytes int64) error
	// Stop ends work on a long text.
	Stop parallel.Stop
}

// Limit returns l. Types that embed Limits have this method.
func (l *Limits) Limit() *Limits { return l }

// Ask asks Reserve for memory.
func (l *Limits) Ask(bytes int64) error {
	if l.Reserve == nil {
		return nil
	}
	return l.Reserve(bytes)
}

// minGrown is the smallest capacity that Grow returns.
const minGrown = 64

// Grow returns a slice with the elements of x and a capacity of at least n. It asks l for the
// memory.
func Grow[T any](l *Limits, x []T, n int) ([]T, error) {
	if n <= cap(x) {
		return x, nil
	}
	n = max(n, 2*cap(x), minGrown)
	if err := l.Ask(memory.Size[T](n) - memory.Size[T](cap(x))); err != nil {
		return x, err
	}
	return append(make([]T, 0, n), x...), nil
}
