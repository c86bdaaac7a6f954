// Package fft computes discrete Fourier transforms of any length:
//
//	Y[k] = sum over j of X[j] * exp(-2πi*j*k/n)
//
// Several sequences are transformed at once, each in a lane. Real and imaginary parts are in
// buffers of their own, whose rows hold the elements with the same index of all lanes: element j of
// lane l is at j*lanes + l. So the loops inside run over adjacent elements.
//
// The inverse transform, without the factor 1/n, is the transform with the two buffers exchanged.
//
// Lengths whose prime factors are at most maxRadix are transformed by Stockham's algorithm in mixed
// radix, all others as a convolution by Bluestein's algorithm. What one lane holds, be it NaN, does
// not change another lane.
package fft

import (
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Float is the type of the parts of a complex number.
type Float = cast.Float

// Plan holds the tables for transforms of one length. It is immutable.
type Plan[T Float] struct {
	n      int
	stages []stage[T]
	chirp  *chirp[T] // of Bluestein's algorithm, instead of stages
}

// stage is a step of Stockham's algorithm. It divides sequences of radix*m elements into radix
// sequences of m elements. s is the number of sequences before the step.
type stage[T Float] struct {
	radix, m, s int
	// re and im hold exp(-2πi*p*k/(radix*m)) at p*(radix-1)+k-1, for k from 1 to radix-1.
	re, im []T
	// cos and sin hold exp(-2πi*j/radix) at j, for a radix without code of its own: one above 5, or
	// all of float64.
	cos, sin []T
}

// radices returns the factors of n, or nil if it has a prime factor over maxRadix.
func radices(n int) []int {
	list := []int{}
	for _, r := range []int{4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31} {
		for n%r == 0 {
			list = append(list, r)
			n /= r
		}
	}
	if n > 1 {
		return nil
	}
	return list
}

// convolutionLen returns the length of the transforms in Bluestein's algorithm: a power of two not
// less than 2n-1. n must be less than a fourth of the greatest int.
func convolutionLen(n int) int {
	m := 1
	for m < 2*n-1 {
		m *= 2
	}
	return m
}

// PlanBytes returns a bound for the memory of the tables of New, or math.MaxInt64 if that does not
// fit an int64.
func PlanBytes[T Float](n int) int64 {
	if n > math.MaxInt/64 {
		return math.MaxInt64
	}
	if n == 0 || radices(n) != nil {
		return memory.Size[T](n, 4)
	}
	return memory.Sum(memory.Size[T](n, 2), memory.Size[T](convolutionLen(n), 6))
}

// New returns the Plan for sequences of n elements; PlanBytes must allow n. It returns
// parallel.ErrStopped if stop is requested.
func New[T Float](stop parallel.Stop, n int) (*Plan[T], error) {
	p := &Plan[T]{n: n}
	if n <= 1 {
		return p, nil
	}
	list := radices(n)
	if list == nil {
		var err error
		p.chirp, err = newChirp[T](stop, n)
		return p, err
	}
	meter := stop.Meter()
	s, m := 1, n
	for _, radix := range list {
		m /= radix
		g := stage[T]{radix: radix, m: m, s: s, re: make([]T, 0, m*(radix-1)), im: make([]T, 0, m*(radix-1))}
		for q := range m {
			if meter.Spent(20 * radix) {
				return nil, parallel.ErrStopped
			}
			for k := 1; k < radix; k++ {
				re, im := root[T](uint64(q)*uint64(k), uint64(radix)*uint64(m))
				g.re, g.im = append(g.re, re), append(g.im, im)
			}
		}
		if radix > 5 || unsafe.Sizeof(T(0)) == 8 {
			for j := range radix {
				re, im := root[T](uint64(j), uint64(radix))
				g.cos, g.sin = append(g.cos, re), append(g.sin, im)
			}
		}
		p.stages = append(p.stages, g)
		s *= radix
	}
	return p, nil
}

// root returns exp(-2πi*j/n). Multiples of a quarter turn are exact.
func root[T Float](j, n uint64) (re, im T) {
	j %= n
	quarter := 4 * j / n
	sin, cos := math.Sincos(2 * math.Pi * float64(4*j-quarter*n) / float64(4*n))
	switch quarter {
	case 0:
		return T(cos), T(-sin)
	case 1:
		return T(-sin), T(-cos)
	case 2:
		return T(-cos), T(sin)
	default:
		return T(sin), T(cos)
	}
}

// WorkLen returns the length of the work memory that Transform needs, or -1 if it does not fit an
// int.
func (p *Plan[T]) WorkLen(lanes int) int {
	rows := p.n
	if p.chirp != nil {
		rows = 2 * p.chirp.plan.n
	}
	if lanes > 0 && rows > math.MaxInt/2/lanes {
		return -1
	}
	return 2 * rows * lanes
}

// Flops returns the number of operations of a transform of one lane.
func (p *Plan[T]) Flops() float64 {
	if p.chirp != nil {
		return 2*p.chirp.plan.Flops() + 6*float64(p.chirp.plan.n) + 12*float64(p.n)
	}
	return 5 * float64(p.n) * math.Log2(float64(max(p.n, 1)))
}

// Transform transforms the lanes in re and im, which have n rows. It returns the buffers that hold
// the result: re and im themselves, or parts of work. It ends early if stop is requested.
func (p *Plan[T]) Transform(stop parallel.Stop, re, im, work []T, lanes int) (outRe, outIm []T) {
	if p.chirp != nil {
		p.chirp.transform(stop, re, im, work, lanes)
		return re, im
	}
	size := p.n * lanes
	re, im = re[:size], im[:size]
	toRe, toIm := work[:size], work[size:2*size]
	meter := stop.Meter()
	for i := range p.stages {
		if !p.stages[i].run(&meter, toRe, toIm, re, im, lanes) {
			break
		}
		re, im, toRe, toIm = toRe, toIm, re, im
	}
	return re, im
}

// chirp holds the tables of Bluestein's algorithm. With jk = (j²+k²-(k-j)²)/2, the transform is a
// convolution with exp(πi*j²/n), between two multiplications by the conjugate of that.
type chirp[T Float] struct {
	re, im []T // exp(-πi*j²/n)
	plan   *Plan[T]
	// fre and fim are the transform of exp(πi*j²/n), divided by the length of plan.
	fre, fim []T
}

func newChirp[T Float](stop parallel.Stop, n int) (*chirp[T], error) {
	m := convolutionLen(n)
	plan, err := New[T](stop, m)
	if err != nil {
		return nil, err
	}
	c := &chirp[T]{re: make([]T, n), im: make([]T, n), plan: plan}
	// The filter is computed in float64: its errors would be those of all results.
	wide, err := New[float64](stop, m)
	if err != nil {
		return nil, err
	}
	re, im := make([]float64, m), make([]float64, m)
	meter := stop.Meter()
	square := uint64(0) // j² modulo 2n
	for j := range n {
		if meter.Spent(20) {
			return nil, parallel.ErrStopped
		}
		x, y := root[float64](square, 2*uint64(n))
		c.re[j], c.im[j] = T(x), T(y)
		re[j], im[j] = x, -y
		if j > 0 {
			re[m-j], im[m-j] = x, -y
		}
		square = (square + 2*uint64(j) + 1) % (2 * uint64(n))
	}
	re, im = wide.Transform(stop, re, im, make([]float64, wide.WorkLen(1)), 1)
	c.fre, c.fim = make([]T, m), make([]T, m)
	for j := range m {
		c.fre[j], c.fim[j] = T(re[j]/float64(m)), T(im[j]/float64(m))
	}
	return c, stop.Err()
}

func (c *chirp[T]) transform(stop parallel.Stop, re, im, work []T, lanes int) {
	n, m := len(c.re), c.plan.n
	size := m * lanes
	x, y, inner := work[:size], work[size:2*size], work[2*size:]
	meter := stop.Meter()
	for j := 0; j < n && !meter.Spent(2*lanes+2); j++ {
		row := j * lanes
		rotate(x[row:][:lanes], y[row:][:lanes], re[row:][:lanes], im[row:][:lanes], c.re[j], c.im[j])
	}
	parallel.Clear(stop, x[n*lanes:])
	parallel.Clear(stop, y[n*lanes:])
	x, y = c.plan.Transform(stop, x, y, inner, lanes)
	if &x[0] != &work[0] {
		inner = work[:2*size]
	}
	if stop.Requested() {
		return
	}
	for j := 0; j < m && !meter.Spent(2*lanes+2); j++ {
		row := j * lanes
		rotate(x[row:][:lanes], y[row:][:lanes], x[row:][:lanes], y[row:][:lanes], c.fre[j], c.fim[j])
	}
	y, x = c.plan.Transform(stop, y, x, inner, lanes) // the inverse
	for j := 0; j < n && !meter.Spent(2*lanes+2); j++ {
		row := j * lanes
		rotate(re[row:][:lanes], im[row:][:lanes], x[row:][:lanes], y[row:][:lanes], c.re[j], c.im[j])
	}
}

// rotate sets a row of numbers to another row multiplied by u+iv.
func rotate[T Float](toRe, toIm, re, im []T, u, v T) {
	toRe, toIm, im = toRe[:len(re)], toIm[:len(re)], im[:len(re)]
	for l, x := range re {
		y := im[l]
		toRe[l], toIm[l] = x*u-y*v, x*v+y*u
	}
}
