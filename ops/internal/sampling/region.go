package sampling

import "math"

// MaxRatio is the greatest sampling ratio that Span accepts.
const MaxRatio = 1 << 16

// Span is a region of interest along one axis of an image. It is divided into bins, and each bin is
// sampled at Samples positions, each in the middle of an equal part of the bin:
//
//	sample i of bin b is at Start + b*Bin + (i+0.5)*Distance
type Span[T Float] struct {
	Start, Bin, Distance T
	Samples              float64 // can be huge, but then only few are near the image
	Length               int     // of the axis of the image, at least 1
}

// NewSpan returns the span of a region from start on. With ratio 0, a bin has a sample for each
// element that it covers, and none if its extent is not positive.
func NewSpan[T Float](start, extent T, bins, ratio, length int) Span[T] {
	s := Span[T]{Start: start, Bin: extent / T(bins), Length: length, Samples: float64(ratio)}
	if ratio == 0 {
		s.Samples = max(math.Ceil(float64(s.Bin)), 0)
	}
	s.Distance = s.Bin / T(s.Samples)
	return s
}

// Window returns the first sample of a bin that can be in the range from lo to hi, and the number
// of samples from there on that can be. Others are not in it.
func (s *Span[T]) Window(bin int, lo, hi float64) (first, n int) {
	if s.Samples <= 8 {
		return 0, int(max(s.Samples, 0)) // not worth a division
	}
	base, distance := float64(s.base(bin)), float64(s.Distance)
	a, b := (lo-base)/distance, (hi-base)/distance
	if distance < 0 {
		a, b = b, a
	}
	if !(b-a <= 1<<40) { // the distance is 0, or something is not finite
		if s.Samples <= MaxRatio {
			return 0, int(s.Samples)
		}
		return 0, 1 // NaN, if it is a position at all
	}
	// Positions are rounded, so that some samples beyond the range are taken as well.
	a, b = max(math.Floor(a)-2, 0), min(math.Ceil(b)+2, s.Samples)
	if !(a < b) {
		return 0, 0
	}
	return int(a), int(b - a)
}

func (s *Span[T]) base(bin int) T { return s.Start + T(T(bin)*s.Bin) }

// At returns the position of sample i of a bin.
func (s *Span[T]) At(bin, i int) T { return s.base(bin) + T(s.Distance*(T(i)+0.5)) }

// IsOutside reports whether a sample is so far from an axis that it counts as 0. NaN is not: its
// sample is NaN.
func IsOutside[T Float](x T, length int) bool { return x < -1 || x > T(length) }

// weights returns the elements of the axis that the samples of a bin read, as the number of the
// first one and, for each, the sum of its weights in all samples. sums has at least Length
// elements. A weight is NaN if a sample is at no position.
func (s *Span[T]) weights(bin int, sums []T) (first int, used []T) {
	from, n := s.Window(bin, -1, float64(s.Length))
	lo, hi := s.Length, -1
	for i := from; i < from+n; i++ {
		x := s.At(bin, i)
		if IsOutside(x, s.Length) {
			continue
		}
		if x != x {
			sums[0] = x
			return 0, sums[:1]
		}
		at, weights := Clamped(x, s.Length)
		if hi < 0 {
			lo, hi = at[0], at[0]-1
		}
		for ; lo > at[0]; lo-- {
			sums[lo-1] = 0
		}
		for ; hi < at[1]; hi++ {
			sums[hi+1] = 0
		}
		sums[at[0]] += weights[0]
		sums[at[1]] += weights[1]
	}
	if hi < 0 {
		return 0, nil
	}
	return lo, sums[lo : hi+1]
}

// Average adds the averages of the samples of bins lo to hi-1 to the rows of w. The bins are
// counted row by row; there are columns of them in a row. The averages need y.Length+x.Length
// elements of Memory. The weights along an axis are summed first, so that an element is read once
// for a bin.
func (w *Worker[T]) Average(image *Image[T], y, x *Span[T], columns, lo, hi int) {
	scale := T(1 / (x.Samples * y.Samples))
	rows, first := []T(nil), 0
	for point := lo; point < hi; point++ {
		if point == lo || point%columns == 0 {
			first, rows = y.weights(point/columns, w.Memory[:y.Length])
		}
		firstColumn, used := x.weights(point%columns, w.Memory[y.Length:][:x.Length])
		if w.Meter.Spent(int(min(x.Samples+y.Samples, MaxRatio)) + len(rows)*len(used)*w.k.channels) {
			return
		}
		w.addProducts(w.Row(point), image, first*x.Length+firstColumn, x.Length, rows, used, scale)
	}
}

// addProducts adds scale*rows[i]*columns[j] times the element i*width+j beyond at to out, for each
// i and j.
func (w *Worker[T]) addProducts(out []T, image *Image[T], at, width int, rows, columns []T, scale T) {
	var q Quad[T]
	n := 0
	for i, weight := range rows {
		weight *= scale
		for j, v := range columns {
			q.At[n], q.Weights[n] = at+i*width+j, weight*v
			if n++; n == len(q.At) {
				image.Add(out, &q, 0)
				n = 0
			}
		}
		if w.Meter.Spent(len(columns)) {
			return
		}
	}
	if n > 0 {
		for ; n < len(q.At); n++ {
			q.At[n] = Outside
		}
		image.Add(out, &q, 0)
	}
}

// Maximum is like Average, for the greatest sample, or 0 if none is greater. NaN is greater than
// all numbers.
func (w *Worker[T]) Maximum(image *Image[T], y, x *Span[T], columns, lo, hi int) {
	var q Quad[T]
	for point := lo; point < hi; point++ {
		row, column := point/columns, point%columns
		firstY, ny := y.Window(row, -1, float64(y.Length))
		firstX, nx := x.Window(column, -1, float64(x.Length))
		out := w.Row(point)
		for i := firstY; i < firstY+ny; i++ {
			vy := y.At(row, i)
			for j := firstX; j < firstX+nx; j++ {
				if w.Meter.Spent(4 * len(out)) {
					return
				}
				if vx := x.At(column, j); q.SetSample(vy, vx, y.Length, x.Length) {
					clear(w.Extra)
					image.Add(w.Extra, &q, 0)
					for c, v := range w.Extra {
						out[c] = max(out[c], v)
					}
				}
			}
		}
	}
}

// SetSample sets q to the sample at a position of a plane of h rows and w columns, which must not
// be empty. It returns false if the position is outside: the sample is 0.
func (q *Quad[T]) SetSample(y, x T, h, w int) bool {
	if IsOutside(y, h) || IsOutside(x, w) {
		return false
	}
	if y != y || x != x {
		q.SetNaN()
		return true
	}
	rows, wy := Clamped(y, h)
	columns, wx := Clamped(x, w)
	q.Set(rows, columns, wy, wx, h, w)
	return true
}
