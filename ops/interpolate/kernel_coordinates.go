package interpolate

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
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
type table[F float32 | float64] struct {
	taps    int
	holes   bool // an element of the output has no taps
	sources []int32
	weights []F
}

// newTable returns the table of an axis. It reserves the size of the table before it computes any
// of it. It returns an error if the table would be too large, or if p.Stop is requested.
func newTable[F float32 | float64](at *attributes, a *axis, antialias bool, p *ops.Preparation) (*table[F], error) {
	if a.input > math.MaxInt32 {
		return nil, faults.Errorf("an axis of %d elements is longer than is computed", a.input)
	}
	b := &builder{attributes: at, axis: a, antialias: antialias, meter: p.Stop.Meter()}
	size := func(taps int) int64 {
		return memory.Sum(memory.Size[int32](a.output, taps), memory.Size[F](a.output, taps))
	}
	most := b.mostTaps()
	if err := p.Reserve(size(most)); err != nil {
		return nil, err
	}
	t := &table[F]{taps: 1}
	total := 0
	for o := range a.output {
		if b.compute(o); b.stopped {
			return nil, parallel.ErrStopped
		}
		t.taps = max(t.taps, len(b.sources))
		if total += len(b.sources); b.exceeds(float64(total)) {
			return nil, b.err()
		}
	}
	if b.exceeds(float64(a.output) * float64(t.taps)) {
		return nil, b.err()
	}
	if t.taps > most {
		if err := p.Reserve(size(t.taps - most)); err != nil {
			return nil, err
		}
	}
	t.sources, t.weights = make([]int32, a.output*t.taps), make([]F, a.output*t.taps)
	for o := range a.output {
		if b.compute(o); b.stopped {
			return nil, parallel.ErrStopped
		}
		n := len(b.sources)
		t.holes = t.holes || n == 0
		sources, weights := t.sources[o*t.taps:][:t.taps], t.weights[o*t.taps:][:t.taps]
		copy(sources, b.sources)
		for k, w := range b.weights {
			weights[k] = F(w)
		}
		for k := n; k < t.taps && n > 0; k++ {
			sources[k] = b.sources[n-1]
		}
	}
	return t, nil
}

// builder computes the taps of one element of the output at a time.
type builder struct {
	*attributes
	*axis
	antialias bool
	sources   []int32
	weights   []float64
	meter     parallel.Meter
	stopped   bool // compute has ended early, because the work must stop
}

// stops counts the work for one element, and reports whether the work must stop.
func (b *builder) stops() bool {
	b.stopped = b.stopped || b.meter.Spent(32)
	return b.stopped
}

// compute sets sources and weights to the taps of element o of the output.
func (b *builder) compute(o int) {
	b.sources, b.weights = b.sources[:0], b.weights[:0]
	if b.stops() {
		return
	}
	switch {
	case b.unscaled():
		b.add(o, 1)
	case b.mode == "linear_onnx":
		b.linear(b.source(b.coordinates, o))
	case b.mode == "linear":
		b.triangle(b.source(b.coordinates, o))
	case b.mode == "cubic":
		b.cubic(b.source(b.coordinates, o), float32(b.cubeCoeff))
	default:
		b.pillow(o, b.mode == "bicubic_pillow", b.cubeCoeff)
	}
}

// mostTaps returns the number of taps that an element of the output has at most, except for
// rounding.
func (b *builder) mostTaps() int {
	most := 0.0
	switch {
	case b.unscaled():
		most = 1
	case b.mode == "linear_onnx":
		most = 2
	case b.mode == "linear" && b.antialias && b.scale <= 1:
		most = 2/float64(b.scale) + 1
	case b.mode == "linear":
		most = 2
	case b.mode == "cubic":
		most = 4
	default:
		most = 2*b.radius()*max(float64(b.padded)/float64(b.output), 1) + 1
	}
	if most < float64(b.input) {
		return max(int(most), 1)
	}
	if b.mode == "cubic" {
		return 4 // the elements at the edges count several times
	}
	return max(b.input, 1)
}

// radius returns the radius of the filters of Pillow.
func (b *builder) radius() float64 {
	if b.mode == "bicubic_pillow" {
		return 2
	}
	return 1
}

// exceeds reports whether n taps are more than any scale needs that fits the lengths. Another
// scale could use the whole image for each element of the output.
func (b *builder) exceeds(n float64) bool {
	return n > 8*(float64(b.padded)+float64(b.output))+64
}

// err returns the error for too many taps.
func (b *builder) err() error {
	return faults.Errorf("an axis of %d elements for one of %d: a scale of %v takes too many of them", b.padded, b.output, b.scale)
}

// add adds element i of the padded image, unless it is padding or its weight is 0.
func (b *builder) add(i int, weight float64) {
	if i = b.unpadded(i); i >= 0 && weight != 0 {
		b.sources, b.weights = append(b.sources, int32(i)), append(b.weights, weight)
	}
}

// linear adds the two elements around x. It clamps x to the image first.
func (b *builder) linear(x float32) {
	last := b.padded - 1
	first := clamp(float64(x), last)
	switch {
	case first == last || !(x > 0):
		b.add(first, 1)
	default:
		b.add(first, float64(float32(first+1)-x))
		b.add(first+1, float64(x-float32(first)))
	}
}

// triangle adds the elements less than 1 from x, or less than 1/scale if b.antialias is true.
// Their weights fall linearly with the distance.
func (b *builder) triangle(x float32) {
	a, radius := float32(1), 2.0
	if b.antialias {
		a = b.scale
		if a <= 1 {
			radius = math.Ceil(float64(2 / a))
		}
	}
	last := b.padded - 1
	center := math.Round(float64(x))
	if !(center+radius >= 0 && center-radius <= float64(last)) {
		return
	}
	// The total includes the weights of the padding, which is part of the image.
	first, end := clamp(center-radius, last), clamp(center+radius, last)
	total := 0.0
	weight := func(i int) float64 { return float64(max(0, 1-float32(math.Abs(float64(a*(x-float32(i))))))) }
	for i := first; i <= end && !b.stops(); i++ {
		total += weight(i)
	}
	for i := first; i <= end && total > 0 && !b.stops(); i++ {
		b.add(i, weight(i)/total)
	}
}

// cubic adds the four elements around x. Outside of the image it adds the element at the edge.
func (b *builder) cubic(x, a float32) {
	last := b.padded - 1
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
	scale := float64(b.padded) / float64(b.output)
	stretch := max(scale, 1)
	radius, filter := b.radius(), func(d float64) float64 { return max(0, 1-d) }
	if cubic {
		filter = func(d float64) float64 { return keys(d, a) }
	}
	center := (float64(o) + 0.5) * scale
	first, end := clamp(center-radius*stretch+0.5, b.padded), clamp(center+radius*stretch+0.5, b.padded)
	weight := func(i int) float64 { return filter(math.Abs((float64(i) - center + 0.5) / stretch)) }
	total := 0.0
	for i := first; i < end && !b.stops(); i++ {
		total += weight(i)
	}
	if total == 0 {
		total = 1
	}
	for i := first; i < end && !b.stops(); i++ {
		b.add(i, weight(i)/total)
	}
}
