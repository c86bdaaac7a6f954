// Package sampling reads images at positions between their elements. The positions and weights of
// a sample are computed once for all channels: see Quad and Layer.
package sampling

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// Float is the type of a computation: float64 for 64-bit and 32-bit integers and float64, float32
// for all other types.
type Float = cast.Float

// Outside is the position of an element that is not in the image. It counts as 0.
const Outside = -1

// Quad is a weighted sum of four elements of a channel: a sample of bilinear interpolation, or a
// quarter of one of bicubic interpolation. At has positions in the plane of a channel, or Outside.
type Quad[T Float] struct {
	At      [4]int
	Weights [4]T
}

// Set sets q to the products of two weights along y and two along x. Positions outside of the plane
// of h rows and w columns are Outside.
func (q *Quad[T]) Set(y, x [2]int, wy, wx [2]T, h, w int) {
	for i := range q.At {
		q.At[i] = Outside
		if row, column := y[i/2], x[i%2]; uint(row) < uint(h) && uint(column) < uint(w) {
			q.At[i] = row*w + column
		}
		q.Weights[i] = wy[i/2] * wx[i%2]
	}
}

// SetNaN makes the sum NaN in every image that has elements: the sample is at no position.
func (q *Quad[T]) SetNaN() {
	*q = Quad[T]{At: [4]int{0, Outside, Outside, Outside}}
	q.Weights[0] = T(math.NaN())
}

// inside reports whether no position is Outside.
func (q *Quad[T]) inside() bool { return q.At[0]|q.At[1]|q.At[2]|q.At[3] >= 0 }

// Of returns the sum for one channel.
func (q *Quad[T]) Of(plane []T) T {
	var sum T
	for i, at := range q.At {
		if uint(at) < uint(len(plane)) {
			sum += q.Weights[i] * plane[at]
		}
	}
	return sum
}

// Image is an image as the kernel holds it. Positions are Step elements apart, and the channels of
// a position ChannelStep elements.
type Image[T Float] struct {
	Data              []T
	Step, ChannelStep int
}

// Add adds q of the channels first to first+len(out)-1 to out.
func (m *Image[T]) Add(out []T, q *Quad[T], first int) {
	data := m.Data[first*m.ChannelStep:]
	n := len(out)
	if q.inside() {
		window.AddRows(out, data[q.At[0]*m.Step:], data[q.At[1]*m.Step:], data[q.At[2]*m.Step:], data[q.At[3]*m.Step:], n, q.Weights, 1, m.ChannelStep)
		return
	}
	for i, at := range q.At {
		if at >= 0 {
			window.AddRow(out, data[at*m.Step:], n, q.Weights[i], 1, m.ChannelStep)
		}
	}
}

// Clamped returns the two elements around position x of an axis of n elements, and their weights. x
// is moved to the nearest element if it is before the first or after the last one. x must not be
// NaN, and n must be positive.
func Clamped[T Float](x T, n int) (at [2]int, weights [2]T) {
	last := n - 1
	if x = max(x, 0); !(x < T(last)) {
		return [2]int{last, last}, [2]T{1, 0}
	}
	low := int(x)
	return [2]int{low, low + 1}, [2]T{1 - (x - T(low)), x - T(low)}
}
