// Package autobroadcast implements the attribute auto_broadcast of elementwise layers: the rule
// that combines the shapes of two inputs.
package autobroadcast

import (
	"math"

	"github.com/vinoir/vinoir/ir"
)

// Kind is a value of the attribute.
type Kind uint8

// The kinds of broadcasting.
const (
	Numpy Kind = iota // axes are aligned at the last one, and lengths of 1 are stretched
	None              // equal shapes
	PDPD              // PaddlePaddle: b is stretched to the shape of a, from a given axis on
)

// Rule is the value of the attribute, and the axis for PDPD.
type Rule struct {
	Kind Kind
	Axis int // the axis of a at which b starts, for PDPD; -1 means the last axes of a
}

// Parse reads auto_broadcast, by default Numpy, and the axis for PDPD.
func Parse(a *ir.Attributes) Rule {
	var r Rule
	switch a.Enum("auto_broadcast", "numpy", "numpy", "none", "explicit", "pdpd") {
	case "none", "explicit":
		r.Kind = None
	case "pdpd":
		r.Kind = PDPD
		axis := a.Int("auto_broadcast.auto_broadcast_axis", 0)
		if axis < -1 || axis > math.MaxInt32 {
			axis = math.MaxInt32 // beyond every rank
		}
		r.Axis = int(axis)
	}
	return r
}

// String returns what two shapes must do to satisfy r, as error messages say it.
func (r Rule) String() string {
	return [...]string{"broadcast", "match", "broadcast by PaddlePaddle's rule"}[r.Kind]
}

// Join returns the combined shape of a and b. It returns false if they do not satisfy r.
func (r Rule) Join(a, b ir.PartialShape) (ir.PartialShape, bool) {
	switch r.Kind {
	case None:
		return a.Merge(b)
	case PDPD:
		return stretch(a, b, r.Axis)
	}
	return a.Broadcast(b)
}

// stretch is Join for PDPD.
func stretch(a, b ir.PartialShape, axis int) (ir.PartialShape, bool) {
	if !a.RankKnown() || !b.RankKnown() {
		return ir.UnknownRank, true
	}
	if axis < 0 {
		axis = a.Rank() - b.Rank()
	}
	if axis < 0 || axis > a.Rank()-b.Rank() {
		return a, false
	}
	dims := append([]ir.Dimension(nil), a.Dims()...)
	for i, d := range b.Dims() {
		to := dims[axis+i]
		if to.IsStatic() && d.IsStatic() && d.Min > to.Min {
			return a, false
		}
		var ok bool
		if dims[axis+i], ok = to.Broadcast(d); !ok {
			return a, false
		}
	}
	return ir.ShapeOf(dims...), true
}
