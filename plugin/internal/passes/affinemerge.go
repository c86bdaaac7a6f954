package passes

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// withConstant returns the other input of layer and the constant where one input of two
// is a small one of float32, and layer has no reader but one.
func (e *editor) withConstant(layer *ir.Layer) (x ir.Input, c *ir.Tensor) {
	if layer == nil || len(layer.Inputs) != 2 || !e.only(layer) {
		return x, nil
	}
	for i := range 2 {
		if c = e.small(layer.Inputs[1-i]); c != nil {
			return layer.Inputs[i], c
		}
	}
	return x, nil
}

// mergeScales makes (x*a + b)*c and x*a*c one multiplication and one addition.
func (e *editor) mergeScales(multiply, at *ir.Layer) (to edit.Source, ok bool) {
	for i := range 2 {
		c := e.small(multiply.Inputs[1-i])
		if c == nil {
			continue
		}
		x := multiply.Inputs[i]
		inner, b := e.withConstant(of(x, "Add"))
		if b == nil {
			inner = x
		}
		inner, a := e.withConstant(of(inner, "Multiply"))
		if a == nil {
			continue
		}
		scale := e.product(at, a, c)
		if scale == nil {
			continue
		}
		product := e.insert(at, "Multiply", "opset1", nil, inner, e.constant(at, scale))
		if b == nil {
			return edit.First(product), true
		}
		shift := e.product(at, b, c)
		if shift == nil {
			continue
		}
		return edit.First(e.insert(at, "Add", "opset1", nil, ir.Input{Source: product}, e.constant(at, shift))), true
	}
	return to, false
}

// mergeShifts makes x + b + c one addition of a constant for each channel. Single
// numbers are left alone: adding and subtracting a large one is a way of rounding. at is
// the layer that the new one goes in front of.
func (e *editor) mergeShifts(add, at *ir.Layer) (to edit.Source, ok bool) {
	for i := range 2 {
		c := e.small(add.Inputs[1-i])
		if c == nil || c.Len() == 1 {
			continue
		}
		x, b := e.withConstant(of(add.Inputs[i], "Add"))
		if b == nil || b.Len() == 1 {
			continue
		}
		if sum := e.compute(at, "Add", b, c); sum != nil {
			return edit.First(e.insert(at, "Add", "opset1", nil, x, e.constant(at, sum))), true
		}
	}
	return to, false
}
