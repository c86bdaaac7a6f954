package normalize

import (
	"math"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/reduction"
	"github.com/vinoir/vinoir/internal/vmath"
)

// maximum returns the greatest element of x, which must not be empty. If an element is NaN it
// returns NaN or any element.
func maximum[T Float](x []T) T {
	if f, ok := any(x).([]float32); ok {
		return T(vmath.Max(f))
	}
	m := x[0]
	for _, v := range x {
		if v > m {
			m = v
		}
	}
	return m
}

// sum returns the sum of the elements of x.
func sum[T Float](x []T) float64 {
	if f, ok := any(x).([]float32); ok {
		return vmath.Sum(f)
	}
	sum := 0.0
	for _, v := range x {
		sum += float64(v)
	}
	return sum
}

// sumSquaredDifferences returns the sum of (x[i]-m)*(x[i]-m).
func sumSquaredDifferences[T Float](x []T, m T) float64 {
	if f, ok := any(x).([]float32); ok {
		return vmath.Squares(f, float32(m))
	}
	sum := 0.0
	for _, v := range x {
		sum += float64((v - m) * (v - m))
	}
	return sum
}

// expSum sets out[i] to exp(x[i]-m) for each element of x, and returns the sum of the results.
// out may be x.
func expSum[T Float](out, x []T, m T) float64 {
	if f, ok := any(x).([]float32); ok {
		return vmath.ExpSum(any(out).([]float32), f, float32(m))
	}
	out = out[:len(x)]
	sum := 0.0
	for i, v := range x {
		e := math.Exp(float64(v - m))
		out[i] = T(e)
		sum += e
	}
	return sum
}

// affine sets out[i] to (x[i]-sub)*mul + add for each element of x. out may be x.
func affine[T Float](out, x []T, sub, mul, add T) {
	if f, ok := any(x).([]float32); ok {
		vmath.Affine(any(out).([]float32), f, float32(sub), float32(mul), float32(add))
		return
	}
	out = out[:len(x)]
	for i, v := range x {
		out[i] = (v-sub)*mul + add
	}
}

// maxReduced is the largest number of elements that ReduceRows reduces, because it cannot be
// stopped.
const maxReduced = 1 << 24

// ReduceRows reduces the rows of the block to one row by f. out has b.Cols elements. It returns
// false without a result if T is not float32, if there are more than maxReduced elements, or if the
// rows are not equally far apart: the caller then goes row by row.
func (b *Block[T]) ReduceRows(f reduction.Function, out []T) bool {
	to, ok := any(out).([]float32)
	if !ok || b.Rows == 0 || b.Rows > maxReduced/b.Cols || !b.contiguous && len(b.reduced) > 1 {
		return false
	}
	step := b.Cols
	if !b.contiguous && len(b.reduced) == 1 {
		step = b.reduced[0].stride
	}
	f.Reduce(to, any(b.in).([]float32), nil, reduction.Rows{N: b.Cols, Count: b.Rows, Step: step, Outputs: 1})
	return true
}

// Loops holds the elementwise functions of computations with columns. Each sets out[i] to a
// function of a[i] and b[i], for each element of out. out may be a or b.
type Loops[T Float] struct {
	Add, Subtract, Multiply, SquaredDifference func(out, a, b []T)
	// Maximum may return either element if one is NaN.
	Maximum func(out, a, b []T)
	Exp     func(out, x []T)
}

// LoopsOf returns the functions for T, in vector code if there is some. It must be called by
// Prepare, not by a kernel.
func LoopsOf[T Float]() *Loops[T] {
	l := &Loops[T]{
		Add:               each(func(a, b T) T { return a + b }),
		Subtract:          each(func(a, b T) T { return a - b }),
		Multiply:          each(func(a, b T) T { return a * b }),
		SquaredDifference: each(func(a, b T) T { return (a - b) * (a - b) }),
		Maximum:           each(func(a, b T) T { return max(a, b) }),
		Exp: func(out, x []T) {
			for i := range out {
				out[i] = T(math.Exp(float64(x[i])))
			}
		},
	}
	if l, ok := any(l).(*Loops[float32]); ok && vmath.Unary(vmath.Exp) != nil {
		l.Add = vmath.Binary(vmath.Add, vmath.Rows)
		l.Subtract = vmath.Binary(vmath.Subtract, vmath.Rows)
		l.Multiply = vmath.Binary(vmath.Multiply, vmath.Rows)
		l.SquaredDifference = vmath.Binary(vmath.SquaredDifference, vmath.Rows)
		l.Maximum = vmath.Binary(vmath.Maximum, vmath.Rows)
		l.Exp = vmath.Unary(vmath.Exp)
	}
	return l
}

// each returns the loop that applies f to each element.
func each[T Float](f func(a, b T) T) func(out, a, b []T) {
	return func(out, a, b []T) {
		a, b = a[:len(out)], b[:len(out)]
		for i := range out {
			out[i] = f(a[i], b[i])
		}
	}
}

// longRow is the number of elements of a row above which the functions below work in pieces, and
// end early if the work must stop.
const longRow = 1 << 19

// Max returns the greatest element of x, which must not be empty.
func Max[T Float](stop parallel.Stop, x []T) T {
	m := maximum(x[:min(longRow, len(x))])
	for at := longRow; at < len(x) && !stop.Requested(); at += longRow {
		if v := maximum(x[at:min(at+longRow, len(x))]); v > m {
			m = v
		}
	}
	return m
}

// Sum returns the sum of the elements of x.
func Sum[T Float](stop parallel.Stop, x []T) float64 {
	s := sum(x[:min(longRow, len(x))])
	for at := longRow; at < len(x) && !stop.Requested(); at += longRow {
		s += sum(x[at:min(at+longRow, len(x))])
	}
	return s
}

// SumSquaredDifferences returns the sum of (x[i]-m)*(x[i]-m).
func SumSquaredDifferences[T Float](stop parallel.Stop, x []T, m T) float64 {
	s := sumSquaredDifferences(x[:min(longRow, len(x))], m)
	for at := longRow; at < len(x) && !stop.Requested(); at += longRow {
		s += sumSquaredDifferences(x[at:min(at+longRow, len(x))], m)
	}
	return s
}

// ExpSum sets out[i] to exp(x[i]-m) for each element of x, and returns the sum of the results.
// out may be x.
func ExpSum[T Float](stop parallel.Stop, out, x []T, m T) float64 {
	s := expSum(out[:min(longRow, len(x))], x[:min(longRow, len(x))], m)
	for at := longRow; at < len(x) && !stop.Requested(); at += longRow {
		end := min(at+longRow, len(x))
		s += expSum(out[at:end], x[at:end], m)
	}
	return s
}

// Affine sets out[i] to (x[i]-sub)*mul + add for each element of x. out may be x.
func Affine[T Float](stop parallel.Stop, out, x []T, sub, mul, add T) {
	affine(out[:min(longRow, len(x))], x[:min(longRow, len(x))], sub, mul, add)
	for at := longRow; at < len(x) && !stop.Requested(); at += longRow {
		end := min(at+longRow, len(x))
		affine(out[at:end], x[at:end], sub, mul, add)
	}
}
