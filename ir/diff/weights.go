package diff

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// WeightsDifference is how the values a of a Constant of model A and b of model B differ.
type WeightsDifference struct {
	// Elements is the number of elements, and Different the number of those that differ by more
	// than the tolerance.
	Elements, Different int
	// Numbers reports whether Largest and Relative are known. They are not if the elements are
	// strings, or of types without arithmetic such as nf4 and i4.
	Numbers bool
	// Largest is the largest |a - b|, at element LargestAt, and Relative the largest |a - b| /
	// max(|a|, |b|), at element RelativeAt. Elements of which one is not finite are left out:
	// NotFinite counts those.
	Largest, Relative     float64
	LargestAt, RelativeAt int
	NotFinite             int
}

// String returns the difference in words.
func (w *WeightsDifference) String() string {
	text := fmt.Sprintf("%d of %d elements differ", w.Different, w.Elements)
	if w.Numbers && w.Different > w.NotFinite {
		text += fmt.Sprintf(", the largest difference is %.3g, at %d, the largest relative one %.3g, at %d", w.Largest, w.LargestAt, w.Relative, w.RelativeAt)
	}
	if w.NotFinite > 0 {
		text += fmt.Sprintf(", %d with one that is not finite", w.NotFinite)
	}
	return text
}

// weights compares the values of two Constants of equal shape. If only their types differ, it
// compares numbers.
func (p *pairing) weights(a, b *ir.Layer) {
	x, y := a.Constant, b.Constant
	if x == nil || y == nil {
		p.report.Unread++
		return
	}
	if !slices.Equal(x.Shape(), y.Shape()) {
		return // an attribute differs
	}
	d := p.options.compare(x, y)
	if d.Different == 0 {
		return
	}
	p.add(Difference{Kind: Weights, LayerA: a, LayerB: b, Port: -1, A: tensorText(x), B: tensorText(y), Weights: d})
}

// tensorText returns the type and shape of t.
func tensorText(t *ir.Tensor) string { return t.ElementType().String() + cut(t.Shape().String()) }

// compare compares two tensors of equal shape.
func (o *Options) compare(x, y *ir.Tensor) *WeightsDifference {
	d := &WeightsDifference{Elements: x.Len()}
	sameType := x.ElementType() == y.ElementType()
	switch {
	case x.ElementType() == ir.String || y.ElementType() == ir.String:
		for i := range d.Elements {
			if !sameType || x.Strings()[i] != y.Strings()[i] {
				d.Different++
			}
		}
	case sameType && bytes.Equal(bytesOf(x), bytesOf(y)):
	case !hasNumbers(x.ElementType()) || !hasNumbers(y.ElementType()):
		d.bits(x, y, sameType)
	case sameType && x.ElementType() == ir.F32:
		d.Numbers = true
		o.floats(d, x, y)
	default:
		d.Numbers = true
		a, b := x.Values(), y.Values()
		float := x.ElementType().IsFloat() || y.ElementType().IsFloat()
		for i := range d.Elements {
			d.add(i, a(i), b(i), o, float)
		}
		if wide := sameType && x.ElementType().Size() == 8 && !float; wide && d.Different == 0 {
			d.bits(x, y, true) // numbers beyond 2^53
		}
	}
	return d
}

// hasNumbers reports whether Tensor.Values has the numbers of a type, not their bits.
func hasNumbers(t ir.ElementType) bool {
	switch t {
	case ir.F16, ir.BF16, ir.F32, ir.F64:
		return true
	}
	return t.IsIntegral() && t.Bits() >= 8
}

// floats compares two tensors of f32.
func (o *Options) floats(d *WeightsDifference, x, y *ir.Tensor) {
	a, b := ir.Data[float32](x), ir.Data[float32](y)
	for i, v := range a {
		if w := b[i]; v != w {
			d.add(i, float64(v), float64(w), o, true)
		}
	}
}

// bits counts the elements of which the bits differ. Elements of different types do.
func (d *WeightsDifference) bits(x, y *ir.Tensor, sameType bool) {
	d.Numbers = false
	if !sameType {
		d.Different = d.Elements
		return
	}
	size := x.ElementType().Size()
	if size == 0 {
		for i := range d.Elements {
			if x.Packed(i) != y.Packed(i) {
				d.Different++
			}
		}
		return
	}
	a, b := bytesOf(x), bytesOf(y)
	for i := range d.Elements {
		if !bytes.Equal(a[i*size:][:size], b[i*size:][:size]) {
			d.Different++
		}
	}
}

// add compares the elements a and b at i.
func (d *WeightsDifference) add(i int, a, b float64, o *Options, float bool) {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return
	}
	difference := math.Abs(a - b)
	if float && difference <= o.ATol+o.RTol*math.Abs(b) && !math.IsInf(b, 0) {
		return
	}
	d.Different++
	if math.IsNaN(difference) || math.IsInf(difference, 0) {
		d.NotFinite++
		return
	}
	if difference > d.Largest {
		d.Largest, d.LargestAt = difference, i
	}
	if relative := difference / max(math.Abs(a), math.Abs(b)); relative > d.Relative {
		d.Relative, d.RelativeAt = relative, i
	}
}
