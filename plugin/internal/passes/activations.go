package passes

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// RecogniseActivations replaces activations that a model computes with several layers. Each becomes
// one layer:
//
//	Swish     x * Sigmoid(x)
//	HSigmoid  Clamp(x + 3, 0, 6) / 6
//	HSwish    x * HSigmoid(x), x * Clamp(x + 3, 0, 6) / 6
//	SoftPlus  Log(Exp(x) + 1)
//	Mish      x * Tanh(SoftPlus(x))
//	Gelu      x * (1 + Erf(x / √2)) / 2, x * (1 + Tanh(√(2/π) * (x + 0.044715 x³))) / 2
var RecogniseActivations = Pass{"RecogniseActivations", recogniseActivations}

func recogniseActivations(g *Graph) bool {
	if !g.has("Clamp", "Erf", "HSigmoid", "Log", "Sigmoid", "Tanh") {
		return false
	}
	e := newEditor(g)
	for _, layer := range g.Model.Order {
		if len(layer.Inputs) == 0 || len(layer.Outputs) > 1 || !e.isFloat32(layer.Inputs[0]) {
			continue
		}
		for _, a := range activations {
			x, data, ok := a.match(e, ir.Input{Source: layer})
			if !ok || !g.canInsert(a.layerType, a.opset) {
				continue
			}
			by := e.insert(layer, a.layerType, a.opset, data, x)
			e.replace(layer, edit.First(by))
			break
		}
	}
	return e.done()
}

// activation is a layer type that RecogniseActivations inserts. match reports whether in is computed
// as such a layer would compute it, and returns the input and the attributes of the new layer.
type activation struct {
	layerType, opset string
	match            func(e *editor, in ir.Input) (x ir.Input, data []ir.Attribute, ok bool)
}

// activations are tried in order.
var activations = []activation{
	{"Gelu", "opset7", (*editor).geluErf},
	{"Gelu", "opset7", (*editor).geluTanh},
	{"Mish", "opset4", func(e *editor, in ir.Input) (ir.Input, []ir.Attribute, bool) {
		return e.gated(in, func(gate, x ir.Input) bool {
			tanh := producer(gate, "Tanh")
			return tanh != nil && e.isSoftPlus(tanh.Inputs[0], x)
		})
	}},
	{"Swish", "opset4", func(e *editor, in ir.Input) (ir.Input, []ir.Attribute, bool) {
		return e.gated(in, func(gate, x ir.Input) bool {
			sigmoid := producer(gate, "Sigmoid")
			return sigmoid != nil && isSame(sigmoid.Inputs[0], x)
		})
	}},
	{"HSwish", "opset4", (*editor).hSwish},
	{"HSigmoid", "opset5", func(e *editor, in ir.Input) (x ir.Input, _ []ir.Attribute, ok bool) {
		clamp, c, ok := e.scaled(in)
		if !ok || !near(c, 1.0/6) {
			return x, nil, false
		}
		x, ok = e.clamped(clamp)
		return x, nil, ok
	}},
	{"SoftPlus", "opset4", func(e *editor, in ir.Input) (x ir.Input, _ []ir.Attribute, ok bool) {
		x, ok = e.softPlus(in)
		return x, nil, ok
	}},
}

// gated matches x * gate, with the factors in any order.
func (e *editor) gated(in ir.Input, isGate func(gate, x ir.Input) bool) (x ir.Input, _ []ir.Attribute, ok bool) {
	product := producer(in, "Multiply")
	if product == nil {
		return x, nil, false
	}
	for i := range 2 {
		if x = product.Inputs[i]; isGate(product.Inputs[1-i], x) {
			return x, nil, true
		}
	}
	return x, nil, false
}

// softPlus matches Log(Exp(x) + 1).
func (e *editor) softPlus(in ir.Input) (x ir.Input, ok bool) {
	log := producer(in, "Log")
	if log == nil {
		return x, false
	}
	sum := producer(log.Inputs[0], "Add")
	if sum == nil {
		return x, false
	}
	exp, one, ok := e.withScalar(sum)
	if !ok || one != 1 || producer(exp, "Exp") == nil {
		return x, false
	}
	return exp.Source.Inputs[0], true
}

// isSoftPlus reports whether in is SoftPlus(x), as one layer or as several.
func (e *editor) isSoftPlus(in, x ir.Input) bool {
	if layer := producer(in, "SoftPlus"); layer != nil {
		return isSame(layer.Inputs[0], x)
	}
	inner, ok := e.softPlus(in)
	return ok && isSame(inner, x)
}

// clamped matches Clamp(x + 3, 0, 6).
func (e *editor) clamped(in ir.Input) (x ir.Input, ok bool) {
	clamp := producer(in, "Clamp")
	if clamp == nil {
		return x, false
	}
	attributes := ir.AttributesOf(clamp)
	if attributes.Float("min", math.NaN()) != 0 || attributes.Float("max", math.NaN()) != 6 {
		return x, false
	}
	sum := producer(clamp.Inputs[0], "Add")
	if sum == nil {
		return x, false
	}
	x, three, ok := e.withScalar(sum)
	return x, ok && three == 3
}

// hSwish matches x * HSigmoid(x), where the division by 6 may come before or after the product.
func (e *editor) hSwish(in ir.Input) (x ir.Input, _ []ir.Attribute, ok bool) {
	isGate := func(gate, x ir.Input) bool {
		if layer := producer(gate, "HSigmoid"); layer != nil {
			return isSame(layer.Inputs[0], x)
		}
		clamp, c, ok := e.scaled(gate)
		if !ok || !near(c, 1.0/6) {
			return false
		}
		inner, ok := e.clamped(clamp)
		return ok && isSame(inner, x)
	}
	if x, _, ok = e.gated(in, isGate); ok {
		return x, nil, true
	}
	product, c, ok := e.scaled(in)
	if !ok || !near(c, 1.0/6) {
		return x, nil, false
	}
	return e.gated(product, func(gate, x ir.Input) bool {
		inner, ok := e.clamped(gate)
		return ok && isSame(inner, x)
	})
}
