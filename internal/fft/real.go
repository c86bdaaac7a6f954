package fft

import (
	"math"

	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Real holds the tables for transforms between n real numbers and the n/2+1 complex numbers that
// determine their transform. An even length is transformed as n/2 complex numbers. It is immutable.
type Real[T Float] struct {
	n      int
	plan   *Plan[T]
	re, im []T // exp(-2πi*k/n), if n is even
}

// RealBytes is PlanBytes for NewReal.
func RealBytes[T Float](n int) int64 {
	if n%2 == 1 {
		return PlanBytes[T](n)
	}
	return memory.Sum(PlanBytes[T](n/2), memory.Size[T](n), memory.Size[T](2))
}

// NewReal returns the Real for n numbers; RealBytes must allow n. It returns parallel.ErrStopped if
// stop is requested.
func NewReal[T Float](stop parallel.Stop, n int) (*Real[T], error) {
	r := &Real[T]{n: n}
	length := n
	if n%2 == 0 {
		length /= 2
	}
	var err error
	if r.plan, err = New[T](stop, length); err != nil || n%2 == 1 {
		return r, err
	}
	r.re, r.im = make([]T, n/2+1), make([]T, n/2+1)
	meter := stop.Meter()
	for k := range r.re {
		if meter.Spent(20) {
			return nil, parallel.ErrStopped
		}
		if n > 0 {
			r.re[k], r.im[k] = root[T](uint64(k), uint64(n))
		}
	}
	return r, nil
}

// Rows returns the number of rows of the buffers re and im.
func (r *Real[T]) Rows() int {
	if r.n%2 == 1 {
		return r.n
	}
	return r.n/2 + 1
}

// WorkLen returns the length of the work memory that Forward and Inverse need, or -1 if it does not
// fit an int.
func (r *Real[T]) WorkLen(lanes int) int {
	n := r.plan.WorkLen(lanes)
	if rows := r.Rows(); lanes > 0 && rows > math.MaxInt/2/lanes {
		return -1
	}
	if n < 0 {
		return -1
	}
	return max(n, 2*r.Rows()*lanes)
}

// Flops returns the number of operations of a transform of one lane.
func (r *Real[T]) Flops() float64 { return r.plan.Flops() + 8*float64(r.n) }

// Packed reports whether Forward takes real number j, and Inverse returns it, in row j/2: in re if
// j is even, in im if it is odd. Otherwise number j is in row j of re, and Forward wants zeros in
// im.
func (r *Real[T]) Packed() bool { return r.n%2 == 0 }

// Forward transforms real numbers, which lie in re and im as Packed says. It returns the buffers
// that hold rows 0 to n/2 of the result. It ends early if stop is requested.
func (r *Real[T]) Forward(stop parallel.Stop, re, im, work []T, lanes int) (outRe, outIm []T) {
	x, y := r.plan.Transform(stop, re, im, work, lanes)
	if !r.Packed() || r.n == 0 {
		return x, y
	}
	h := r.n / 2
	size := (h + 1) * lanes
	if lanes == 0 || &x[0] == &re[0] {
		outRe, outIm = work[:size], work[size:2*size]
	} else {
		outRe, outIm = re[:size], im[:size]
	}
	meter := stop.Meter()
	for k := 0; k <= h && !meter.Spent(4*lanes+4); k++ {
		a, b := x[k%h*lanes:][:lanes], y[k%h*lanes:][:lanes]
		c, d := x[(h-k)%h*lanes:][:lanes], y[(h-k)%h*lanes:][:lanes]
		p, q := outRe[k*lanes:][:lanes], outIm[k*lanes:][:lanes]
		u, v := r.re[k], r.im[k]
		for l := range a {
			// The transforms of the numbers at even and at odd positions, both doubled.
			evenRe, evenIm := a[l]+c[l], b[l]-d[l]
			oddRe, oddIm := b[l]+d[l], c[l]-a[l]
			p[l] = (evenRe + (oddRe*u - oddIm*v)) / 2
			q[l] = (evenIm + (oddRe*v + oddIm*u)) / 2
		}
	}
	return outRe, outIm
}

// Inverse computes n times the real numbers whose transform has rows 0 to n/2 of re and im. The
// imaginary parts of row 0 and, if n is even, of row n/2 do not count. Inverse returns the buffers
// that hold the numbers, as Packed says. It ends early if stop is requested.
func (r *Real[T]) Inverse(stop parallel.Stop, re, im, work []T, lanes int) (outRe, outIm []T) {
	if r.n == 0 {
		return re, im
	}
	clear(im[:lanes])
	if !r.Packed() {
		meter := stop.Meter()
		for k := r.n/2 + 1; k < r.n && !meter.Spent(2*lanes+2); k++ {
			copy(re[k*lanes:][:lanes], re[(r.n-k)*lanes:][:lanes])
			from := im[(r.n-k)*lanes:][:lanes]
			to := im[k*lanes:][:lanes]
			for l, x := range from {
				to[l] = -x
			}
		}
		outIm, outRe = r.plan.Transform(stop, im, re, work, lanes)
		return outRe, outIm
	}
	h := r.n / 2
	clear(im[h*lanes:][:lanes])
	meter := stop.Meter()
	for k := 0; k <= h-k && !meter.Spent(4*lanes+4); k++ {
		a, b := re[k*lanes:][:lanes], im[k*lanes:][:lanes]
		c, d := re[(h-k)*lanes:][:lanes], im[(h-k)*lanes:][:lanes]
		u, v := r.re[k], r.im[k]
		for l := range a {
			evenRe, evenIm := a[l]+c[l], b[l]-d[l]
			x, y := a[l]-c[l], b[l]+d[l]
			oddRe, oddIm := x*u+y*v, y*u-x*v
			// Row h-k has the conjugates of both.
			a[l], b[l] = evenRe-oddIm, evenIm+oddRe
			c[l], d[l] = evenRe+oddIm, oddRe-evenIm
		}
	}
	outIm, outRe = r.plan.Transform(stop, im, re, work, lanes)
	return outRe, outIm
}
