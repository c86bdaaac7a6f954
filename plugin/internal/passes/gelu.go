package passes

import (
	"math"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// geluErf matches x * (1 + Erf(x / √2)) / 2.
func (e *patternEditor) geluErf(in ir.Input) (x ir.Input, data []ir.Attribute, ok bool) {
	x, ok = e.halved(in, func(gate, x ir.Input) bool {
		erf := rewrite.Producer(gate, "Erf")
		if erf == nil {
			return false
		}
		inner, c, ok := e.Scaled(erf.Inputs[0])
		return ok && rewrite.IsSame(inner, x) && rewrite.Near(c, math.Sqrt2/2)
	})
	return x, edit.Attributes("approximation_mode", "ERF"), ok
}

// geluTanh matches x * (1 + Tanh(√(2/π) * (x + 0.044715 x³))) / 2.
func (e *patternEditor) geluTanh(in ir.Input) (x ir.Input, data []ir.Attribute, ok bool) {
	x, ok = e.halved(in, func(gate, x ir.Input) bool {
		tanh := rewrite.Producer(gate, "Tanh")
		if tanh == nil {
			return false
		}
		sum, c, ok := e.Scaled(tanh.Inputs[0])
		if !ok || !rewrite.Near(c, math.Sqrt(2/math.Pi)) || rewrite.Producer(sum, "Add") == nil {
			return false
		}
		_, ok = rewrite.OtherInput(sum.Source, func(cubic ir.Input) bool {
			cube, c, ok := e.Scaled(cubic)
			if !ok || !rewrite.Near(c, 0.044715) {
				return false
			}
			base, exponent, ok := e.Raised(cube)
			return ok && exponent == 3 && rewrite.IsSame(base, x)
		})
		return ok && (rewrite.IsSame(sum.Source.Inputs[0], x) || rewrite.IsSame(sum.Source.Inputs[1], x))
	})
	return x, edit.Attributes("approximation_mode", "TANH"), ok
}

// halved matches x * (1 + gate) / 2, with the factors in any order.
func (e *patternEditor) halved(in ir.Input, isGate func(gate, x ir.Input) bool) (x ir.Input, ok bool) {
	if inner, c, ok := e.Scaled(in); ok {
		// (x * (1 + gate)) / 2
		if c != 0.5 || rewrite.Producer(inner, "Multiply") == nil {
			return x, false
		}
		return e.timesOnePlus(inner.Source, isGate)
	}
	product := rewrite.Producer(in, "Multiply")
	if product == nil {
		return x, false
	}
	for i := range 2 {
		// (x/2) * (1 + gate) or x * ((1 + gate)/2)
		if half, c, ok := e.Scaled(product.Inputs[i]); ok && c == 0.5 {
			if gate, ok := e.onePlus(product.Inputs[1-i]); ok && isGate(gate, half) {
				return half, true
			}
			if gate, ok := e.onePlus(half); ok && isGate(gate, product.Inputs[1-i]) {
				return product.Inputs[1-i], true
			}
		}
	}
	return x, false
}

// timesOnePlus matches x * (1 + gate).
func (e *patternEditor) timesOnePlus(product *ir.Layer, isGate func(gate, x ir.Input) bool) (x ir.Input, ok bool) {
	for i := range 2 {
		if gate, ok := e.onePlus(product.Inputs[i]); ok && isGate(gate, product.Inputs[1-i]) {
			return product.Inputs[1-i], true
		}
	}
	return x, false
}

// onePlus matches 1 + gate.
func (e *patternEditor) onePlus(in ir.Input) (gate ir.Input, ok bool) {
	sum := rewrite.Producer(in, "Add")
	if sum == nil {
		return gate, false
	}
	gate, one, ok := e.WithScalar(sum)
	return gate, ok && one == 1
}
