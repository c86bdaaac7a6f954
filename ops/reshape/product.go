package reshape

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// product is a number of elements in two factors: the product of the static dimensions and that of
// the dynamic dimensions. cancel multiplies the static factor into the dynamic one if it does not
// cancel out.
type product struct {
	static, dynamic ir.Dimension
}

var one = product{ir.Dim(1), ir.Dim(1)}

func (p *product) mul(d ir.Dimension) {
	if d.IsStatic() {
		p.static = p.static.Mul(d)
	} else {
		p.dynamic = p.dynamic.Mul(d)
	}
}

// cancel multiplies ins into from and outs into to, except the static dimensions that are in both.
func cancel(ins, outs []ir.Dimension, from, to *product) {
	for _, d := range ins {
		i := -1
		if d.IsStatic() && d != ir.Dim(0) {
			i = slices.Index(outs, d)
		}
		if i < 0 {
			from.mul(d)
		} else {
			outs = slices.Delete(outs, i, i+1)
		}
	}
	for _, d := range outs {
		to.mul(d)
	}
	if from.static != to.static {
		from.dynamic = from.dynamic.Mul(from.static)
		to.dynamic = to.dynamic.Mul(to.static)
	}
}

// divide returns the lengths whose product with a length in by can be in n; false if there are
// none.
func divide(n, by ir.Dimension) (ir.Dimension, bool) {
	if n.IsStatic() && by.IsStatic() {
		if by.Min == 0 {
			return ir.AnyDim, false
		}
		return ir.Dim(n.Min / by.Min), n.Min%by.Min == 0
	}
	left := n
	if n.Max != ir.Unbounded && by.Min != 0 && by != ir.AnyDim {
		left.Max = n.Max / by.Min
	} else {
		left.Max = ir.Unbounded
	}
	if by.Max != 0 && left.Min > 0 {
		left.Min = 1 + (left.Min-1)/by.Max
	}
	return left, left.Min <= left.Max
}
