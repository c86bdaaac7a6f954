package passes

import (
	"math"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
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
func RecogniseActivations(g *ops.Graph) bool {
	if !g.Has("Clamp", "Erf", "HSigmoid", "Log", "Sigmoid", "Tanh") {
		return false
	}
	e := &patternEditor{rewrite.NewEditor(g)}
	for _, layer := range g.Model.Order {
		if len(layer.Inputs) == 0 || len(layer.Outputs) > 1 || !e.IsFloat32(layer.Inputs[0]) {
			continue
		}
		for _, a := range activations {
			x, data, ok := a.match(e, ir.Input{Source: layer})
			if !ok || !g.CanInsert(a.layerType, a.opset) {
				continue
			}
			by := e.AddLayer(layer, a.layerType, a.opset, data, x)
			e.ReplaceLayer(layer, edit.First(by))
			break
		}
	}
	return e.Done()
}

// patternEditor is an editor with the patterns of the passes of this package.
type patternEditor struct{ *rewrite.Editor }

// activation is a layer type that RecogniseActivations inserts. match reports whether in is
// computed as such a layer would compute it, and returns the input and the attributes of the new
// layer.
type activation struct {
	layerType, opset string
	match            func(e *patternEditor, in ir.Input) (x ir.Input, data []ir.Attribute, ok bool)
}

// activations are tried in order.
var activations = []activation{
	{"Gelu", "opset7", (*patternEditor).geluErf},
	{"Gelu", "opset7", (*patternEditor).geluTanh},
	{"Mish", "opset4", func(e *patternEditor, in ir.Input) (ir.Input, []ir.Attribute, bool) {
		return e.gated(in, func(gate, x ir.Input) bool {
			tanh := rewrite.Producer(gate, "Tanh")
			return tanh != nil && e.isSoftPlus(tanh.Inputs[0], x)
		})
	}},
	{"Swish", "opset4", func(e *patternEditor, in ir.Input) (ir.Input, []ir.Attribute, bool) {
		return e.gated(in, func(gate, x ir.Input) bool {
			sigmoid := rewrite.Producer(gate, "Sigmoid")
			return sigmoid != nil && rewrite.IsSame(sigmoid.Inputs[0], x)
		})
	}},
	{"HSwish", "opset4", (*patternEditor).hSwish},
	{"HSigmoid", "opset5", func(e *patternEditor, in ir.Input) (x ir.Input, _ []ir.Attribute, ok bool) {
		clamp, c, ok := e.Scaled(in)
		if !ok || !rewrite.Near(c, 1.0/6) {
			return x, nil, false
		}
		x, ok = e.clamped(clamp)
		return x, nil, ok
	}},
	{"SoftPlus", "opset4", func(e *patternEditor, in ir.Input) (x ir.Input, _ []ir.Attribute, ok bool) {
		x, ok = e.softPlus(in)
		return x, nil, ok
	}},
}

// gated matches x * gate, with the factors in any order.
func (e *patternEditor) gated(in ir.Input, isGate func(gate, x ir.Input) bool) (x ir.Input, _ []ir.Attribute, ok bool) {
	product := rewrite.Producer(in, "Multiply")
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
func (e *patternEditor) softPlus(in ir.Input) (x ir.Input, ok bool) {
	log := rewrite.Producer(in, "Log")
	if log == nil {
		return x, false
	}
	sum := rewrite.Producer(log.Inputs[0], "Add")
	if sum == nil {
		return x, false
	}
	exp, one, ok := e.WithScalar(sum)
	if !ok || one != 1 || rewrite.Producer(exp, "Exp") == nil {
		return x, false
	}
	return exp.Source.Inputs[0], true
}

// isSoftPlus reports whether in is SoftPlus(x), as one layer or as several.
func (e *patternEditor) isSoftPlus(in, x ir.Input) bool {
	if layer := rewrite.Producer(in, "SoftPlus"); layer != nil {
		return rewrite.IsSame(layer.Inputs[0], x)
	}
	inner, ok := e.softPlus(in)
	return ok && rewrite.IsSame(inner, x)
}

// clamped matches Clamp(x + 3, 0, 6).
func (e *patternEditor) clamped(in ir.Input) (x ir.Input, ok bool) {
	clamp := rewrite.Producer(in, "Clamp")
	if clamp == nil {
		return x, false
	}
	attributes := ir.AttributesOf(clamp)
	if attributes.Float("min", math.NaN()) != 0 || attributes.Float("max", math.NaN()) != 6 {
		return x, false
	}
	sum := rewrite.Producer(clamp.Inputs[0], "Add")
	if sum == nil {
		return x, false
	}
	x, three, ok := e.WithScalar(sum)
	return x, ok && three == 3
}

// hSwish matches x * HSigmoid(x), where the division by 6 may come before or after the product.
func (e *patternEditor) hSwish(in ir.Input) (x ir.Input, _ []ir.Attribute, ok bool) {
	isGate := func(gate, x ir.Input) bool {
		if layer := rewrite.Producer(gate, "HSigmoid"); layer != nil {
			return rewrite.IsSame(layer.Inputs[0], x)
		}
		clamp, c, ok := e.Scaled(gate)
		if !ok || !rewrite.Near(c, 1.0/6) {
			return false
		}
		inner, ok := e.clamped(clamp)
		return ok && rewrite.IsSame(inner, x)
	}
	if x, _, ok = e.gated(in, isGate); ok {
		return x, nil, true
	}
	product, c, ok := e.Scaled(in)
	if !ok || !rewrite.Near(c, 1.0/6) {
		return x, nil, false
	}
	return e.gated(product, func(gate, x ir.Input) bool {
		inner, ok := e.clamped(gate)
		return ok && rewrite.IsSame(inner, x)
	})
}
