// Package autobroadcast is the attribute auto_broadcast of element-wise layers: how
// the shapes of their inputs become one.
package autobroadcast

import (
	"math"

	"github.com/vinoir/vinoir/ir"
)

// Kind is a value of the attribute.
type Kind uint8

// The kinds of broadcasting.
const (
	Numpy Kind = iota // axes aligned at the right, lengths of 1 stretched
	None              // equal shapes
	PDPD              // PaddlePaddle's: b is stretched to a from an axis on
)

// Rule is the attribute with its axis.
type Rule struct {
	Kind Kind
	Axis int // of PDPD: where b starts in a; -1 for a's last axes
}

// Parse reads auto_broadcast, by default Numpy, and the axis of PDPD.
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

// String says what shapes must do to satisfy r.
func (r Rule) String() string {
	return [...]string{"broadcast", "match", "broadcast by PaddlePaddle's rule"}[r.Kind]
}

// Join returns the shape that a and b give; false where they give none.
func (r Rule) Join(a, b ir.PartialShape) (ir.PartialShape, bool) {
	switch r.Kind {
	case None:
		return a.Merge(b)
	case PDPD:
		return stretch(a, b, r.Axis)
	}
	return a.Broadcast(b)
}

// stretch returns the shape that a and b broadcast to by PaddlePaddle's rule.
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
