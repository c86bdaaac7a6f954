package schedule

import (
	"context"
	"math/bits"
	"sync/atomic"
)

// RoundUp returns the number of rows that a batch of rows is computed with: the next power of two,
// or most if that is less. A model keeps what it has prepared for a few shapes, so there should not
// be many.
func RoundUp(rows, most int) int {
	if rows <= 1 {
		return rows
	}
	return max(rows, min(1<<bits.Len(uint(rows-1)), most))
}

// trim returns the jobs at the start of batch that run now. Rows that are added to round up cost as
// much as others: if they were more than a quarter, the last jobs wait instead.
func trim[T any](batch []*Job[T], rows, most int) []*Job[T] {
	rounded := RoundUp(rows, most)
	if 4*rows >= 3*rounded {
		return batch
	}
	for n := len(batch); n > 1; n-- {
		if rows <= rounded/2 {
			return batch[:n]
		}
		rows -= batch[n-1].Rows
	}
	return batch
}

// contextOf returns a context that is done when those of all jobs are. stop frees it.
func contextOf[T any](batch []*Job[T]) (ctx context.Context, stop func()) {
	if len(batch) == 1 {
		return batch[0].ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(batch[0].ctx))
	var left atomic.Int64
	left.Store(int64(len(batch)))
	stops := make([]func() bool, len(batch))
	for i, job := range batch {
		stops[i] = context.AfterFunc(job.ctx, func() {
			if left.Add(-1) == 0 {
				cancel(context.Cause(job.ctx))
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}
