package interpolate

import (
	"fmt"
	"math"
	"slices"
)

// source returns the position x of element o of the output in the padded image. It is computed
// in float32 as in OpenVINO, because a difference of one bit can change which element is
// nearest.
func (a *axis) source(coordinates string, o int) float32 {
	x := float32(o)
	if a.unscaled() {
		return x
	}
	switch coordinates {
	case "asymmetric":
		return x / a.scale
	case "tf_half_pixel_for_nn":
		return (x + 0.5) / a.scale
	case "align_corners":
		if a.output == 1 {
			return 0
		}
		return float32(x*float32(a.padded-1)) / float32(a.output-1)
	case "pytorch_half_pixel":
		if a.output == 1 {
			return 0
		}
	}
	return float32((x+0.5)/a.scale) - 0.5
}

// nearest returns the element of the image that is nearest to element o of the output, or -1 if
// it is padding.
func (a *axis) nearest(at *attributes, o int) int {
	x := float64(a.source(at.coordinates, o))
	switch at.nearest {
	case "round_prefer_ceil":
		x = math.Round(x)
	case "floor":
		x = math.Floor(x)
	case "ceil":
		x = math.Ceil(x)
	case "simple":
		if a.scale < 1 {
			x = math.Ceil(x)
		} else {
			x = math.Trunc(x)
		}
	default: // round_prefer_floor
		if whole := math.Trunc(x); x == whole+0.5 {
			x = whole
		} else {
			x = math.Round(x)
		}
	}
	return a.unpadded(clamp(x, a.padded-1))
}

// unpadded returns the element of the image that is element i of the padded image, or -1 if it
// is padding.
func (a *axis) unpadded(i int) int {
	if i -= a.padBegin; i >= 0 && i < a.input {
		return i
	}
	return -1
}

// clamp rounds x towards 0 and clamps it to [0,most]. It returns 0 for NaN.
func clamp(x float64, most int) int {
	switch {
	case !(x > 0):
		return 0
	case x >= float64(most):
		return most
	}
	return int(x)
}

// table holds the taps of each element of the output along one axis: the elements of the image
// that it is the weighted sum of, and their weights. Each element of the output has taps of
// them. Missing ones have weight 0, and any source.
type table struct {
	taps    int
	holes   bool // an element of the output has no taps
	sources []int32
	weights []float64
}

// newTable returns the table of an axis. It returns an error if the table would be too large.
func newTable(at *attributes, a *axis, antialias bool) (*table, error) {
	if a.input > math.MaxInt32 {
		return nil, fmt.Errorf("an axis of %d elements is longer than is computed", a.input)
	}
	b := &builder{axis: a, starts: []int{0}}
	for o := range a.output {
		switch {
		case a.unscaled():
			b.add(o, 1)
		case at.mode == "linear_onnx":
			b.linear(a.source(at.coordinates, o))
		case at.mode == "linear":
			b.triangle(a.source(at.coordinates, o), antialias)
		case at.mode == "cubic":
			b.cubic(a.source(at.coordinates, o), float32(at.cubeCoeff))
		default:
			b.pillow(o, at.mode == "bicubic_pillow", at.cubeCoeff)
		}
		b.starts = append(b.starts, len(b.sources))
		if b.exceeds(len(b.sources)) {
			return nil, b.err()
		}
	}
	return b.table()
}

// builder collects the taps, one element of the output after the other.
type builder struct {
	axis    *axis
	starts  []int // index in the lists of the first tap of each element of the output
	sources []int32
	weights []float64
}

// exceeds reports whether n taps are more than any scale needs that fits the lengths. Another
// scale could use the whole image for each element of the output.
func (b *builder) exceeds(n int) bool {
	return float64(n) > 8*(float64(b.axis.padded)+float64(b.axis.output))+64
}

// err returns the error for too many taps.
func (b *builder) err() error {
	return fmt.Errorf("an axis of %d elements for one of %d: a scale of %v takes too many of them", b.axis.padded, b.axis.output, b.axis.scale)
}

// add adds element i of the padded image, unless it is padding or its weight is 0.
func (b *builder) add(i int, weight float64) {
	if i = b.axis.unpadded(i); i >= 0 && weight != 0 {
		b.sources, b.weights = append(b.sources, int32(i)), append(b.weights, weight)
	}
}

// linear adds the two elements around x. It clamps x to the image first.
func (b *builder) linear(x float32) {
	last := b.axis.padded - 1
	first := clamp(float64(x), last)
	switch {
	case first == last || !(x > 0):
		b.add(first, 1)
	default:
		b.add(first, float64(float32(first+1)-x))
		b.add(first+1, float64(x-float32(first)))
	}
}

// triangle adds the elements less than 1 from x, or less than 1/scale if antialias is true.
// Their weights fall linearly with the distance.
func (b *builder) triangle(x float32, antialias bool) {
	a, radius := float32(1), 2.0
	if antialias {
		a = b.axis.scale
		if a <= 1 {
			radius = math.Ceil(float64(2 / a))
		}
	}
	last := b.axis.padded - 1
	center := math.Round(float64(x))
	if !(center+radius >= 0 && center-radius <= float64(last)) {
		return
	}
	// The total includes the weights of the padding, which is part of the image.
	first, end := clamp(center-radius, last), clamp(center+radius, last)
	total := 0.0
	weight := func(i int) float64 { return float64(max(0, 1-float32(math.Abs(float64(a*(x-float32(i))))))) }
	for i := first; i <= end; i++ {
		total += weight(i)
	}
	for i := first; i <= end && total > 0; i++ {
		b.add(i, weight(i)/total)
	}
}

// cubic adds the four elements around x. Outside of the image it adds the element at the edge.
func (b *builder) cubic(x, a float32) {
	last := b.axis.padded - 1
	floor := math.Floor(float64(x))
	s := float32(float64(x) - floor)
	if math.IsNaN(floor) || math.IsInf(floor, 0) {
		s = 0
	}
	for i := range 4 {
		d := float32(math.Abs(float64(s - float32(i-1))))
		b.add(clamp(floor+float64(i-1), last), keys(float64(d), float64(a)))
	}
}

// keys is the cubic convolution kernel of Keys.
func keys(d, a float64) float64 {
	switch {
	case d <= 1:
		return ((a+2)*d-(a+3))*d*d + 1
	case d < 2:
		return (((d-5)*d+8)*d - 4) * a
	}
	return 0
}

// pillow adds the elements that Pillow uses: those of an antialiased filter around the centre
// of element o.
func (b *builder) pillow(o int, cubic bool, a float64) {
	scale := float64(b.axis.padded) / float64(b.axis.output)
	stretch := max(scale, 1)
	radius, filter := 1.0, func(d float64) float64 { return max(0, 1-d) }
	if cubic {
		radius, filter = 2, func(d float64) float64 { return keys(d, a) }
	}
	center := (float64(o) + 0.5) * scale
	first, end := clamp(center-radius*stretch+0.5, b.axis.padded), clamp(center+radius*stretch+0.5, b.axis.padded)
	weight := func(i int) float64 { return filter(math.Abs((float64(i) - center + 0.5) / stretch)) }
	total := 0.0
	for i := first; i < end; i++ {
		total += weight(i)
	}
	if total == 0 {
		total = 1
	}
	for i := first; i < end; i++ {
		b.add(i, weight(i)/total)
	}
}

// table returns the table, in which all elements of the output have the same number of taps.
func (b *builder) table() (*table, error) {
	t := &table{taps: 1}
	n := len(b.starts) - 1
	for o := range n {
		t.taps = max(t.taps, b.starts[o+1]-b.starts[o])
	}
	if float64(n)*float64(t.taps) > math.MaxInt || b.exceeds(n*t.taps) {
		return nil, b.err()
	}
	t.sources, t.weights = make([]int32, n*t.taps), make([]float64, n*t.taps)
	for o := range n {
		sources := b.sources[b.starts[o]:b.starts[o+1]]
		copy(t.sources[o*t.taps:], sources)
		copy(t.weights[o*t.taps:], b.weights[b.starts[o]:b.starts[o+1]])
		t.holes = t.holes || len(sources) == 0
		if len(sources) > 0 {
			rest := t.sources[o*t.taps+len(sources) : (o+1)*t.taps]
			copy(rest, slices.Repeat(sources[len(sources)-1:], len(rest)))
		}
	}
	return t, nil
}
