package affine

import (
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// withConstant matches a layer of two inputs that has one reader and reads a small float32
// constant. It returns the constant and the other input. c is nil if layer does not match.
func (e *editor) withConstant(layer *ir.Layer) (x ir.Input, c *ir.Tensor) {
	if layer == nil || len(layer.Inputs) != 2 || !e.HasOneReader(layer) {
		return x, nil
	}
	for i := range 2 {
		if c = e.smallConstant(layer.Inputs[1-i]); c != nil {
			return layer.Inputs[i], c
		}
	}
	return x, nil
}

// mergeScales replaces x*a*c by one multiplication, and (x*a + b)*c by one multiplication and one
// addition. It adds layers on behalf of layer at.
func (e *editor) mergeScales(multiply, at *ir.Layer) (to edit.Source, ok bool) {
	for i := range 2 {
		c := e.smallConstant(multiply.Inputs[1-i])
		if c == nil {
			continue
		}
		x := multiply.Inputs[i]
		inner, b := e.withConstant(rewrite.Producer(x, "Add"))
		if b == nil {
			inner = x
		}
		inner, a := e.withConstant(rewrite.Producer(inner, "Multiply"))
		if a == nil {
			continue
		}
		scale := e.product(at, a, c)
		if scale == nil {
			continue
		}
		var shift *ir.Tensor
		if b != nil {
			if shift = e.product(at, b, c); shift == nil {
				continue
			}
		}
		product := e.AddLayer(at, "Multiply", "opset1", nil, inner, e.AddConstant(at, scale))
		if shift == nil {
			return edit.First(product), true
		}
		return edit.First(e.AddLayer(at, "Add", "opset1", nil, ir.Input{Source: product}, e.AddConstant(at, shift))), true
	}
	return to, false
}

// mergeShifts replaces x + b + c by one addition. It leaves constants of one element alone, because
// adding and subtracting a large number is a way of rounding. It adds layers on behalf of layer at.
func (e *editor) mergeShifts(add, at *ir.Layer) (to edit.Source, ok bool) {
	for i := range 2 {
		c := e.smallConstant(add.Inputs[1-i])
		if c == nil || c.Len() == 1 {
			continue
		}
		x, b := e.withConstant(rewrite.Producer(add.Inputs[i], "Add"))
		if b == nil || b.Len() == 1 {
			continue
		}
		if sum := e.compute(at, "Add", b, c); sum != nil {
			return edit.First(e.AddLayer(at, "Add", "opset1", nil, x, e.AddConstant(at, sum))), true
		}
	}
	return to, false
}
