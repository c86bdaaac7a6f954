package ir

import (
	"errors"
	"math"

	"github.com/vinoir/vinoir/internal/faults"
)

// Ranked is an element of a row: its index in the row, and its value.
type Ranked struct {
	Index int
	Value float64
}

// TopK returns the k largest elements of each row of t: TopKAxis along the last axis. For the
// logits of a batch of pictures, [N,classes], that are the classes of each picture.
func TopK(t *Tensor, k int) ([][]Ranked, error) { return TopKAxis(t, k, -1) }

// TopKAxis returns the k largest elements of t along axis, the largest first; all of them if there
// are fewer than k. There is a list for each index of the other axes, in row-major order, so that t
// of shape [2,3,4] has 8 lists along axis 1. A negative axis counts from the end; a scalar is a row
// of one element. Of equal elements, the one of the smaller index is first. NaN comes after all
// numbers. It is an error if t is nil, k is negative or t has no such axis, or if t is not of
// booleans, integers of whole bytes, f16, bf16, f32 or f64. Integers are compared as float64.
func TopKAxis(t *Tensor, k, axis int) ([][]Ranked, error) {
	switch {
	case t == nil:
		return nil, errors.New("the tensor is nil")
	case k < 0:
		return nil, faults.Errorf("k is %d, which is negative", k)
	}
	switch et := t.elementType; et {
	case F16, BF16, F32, F64:
	default:
		if !et.IsIntegral() || et.Size() == 0 {
			return nil, faults.Errorf("the elements of %v%v have no order", et, t.shape)
		}
	}
	shape := t.shape
	if len(shape) == 0 {
		shape = Shape{1}
	}
	from := axis
	if axis < 0 {
		from += len(shape)
	}
	if from < 0 || from >= len(shape) {
		return nil, faults.Errorf("axis %d is not one of the %d axes of shape %v", axis, len(t.shape), t.shape)
	}
	value, n, stride := t.Values(), shape[from], shape[from+1:].Elements()
	lists := make([][]Ranked, shape[:from].Elements()*stride)
	for i := range lists {
		first := i/stride*n*stride + i%stride
		lists[i] = topOf(n, k, func(j int) float64 { return value(first + j*stride) })
	}
	return lists, nil
}

// topOf returns the k largest of the n values of a row.
func topOf(n, k int, value func(i int) float64) []Ranked {
	best := make(worstFirst, min(k, n))
	for i := range best {
		best[i] = Ranked{i, value(i)}
	}
	for i := len(best)/2 - 1; i >= 0; i-- {
		best.sink(i)
	}
	for i := len(best); i < n && len(best) > 0; i++ {
		if r := (Ranked{i, value(i)}); r.before(best[0]) {
			best[0] = r
			best.sink(0)
		}
	}
	for last := len(best) - 1; last > 0; last-- {
		best[0], best[last] = best[last], best[0]
		best[:last].sink(0)
	}
	return best
}

// before reports whether r is before other in the result of TopK.
func (r Ranked) before(other Ranked) bool {
	switch {
	case r.Value > other.Value:
		return true
	case r.Value == other.Value || math.IsNaN(r.Value) && math.IsNaN(other.Value):
		return r.Index < other.Index
	}
	return math.IsNaN(other.Value) && !math.IsNaN(r.Value)
}

// worstFirst is a heap: none of the elements 2i+1 and 2i+2 comes after element i in the result of
// TopK.
type worstFirst []Ranked

// sink restores the heap after element i has become better.
func (h worstFirst) sink(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[worst].before(h[child]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		h[i], h[worst] = h[worst], h[i]
		i = worst
	}
}
