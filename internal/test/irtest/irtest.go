// Package irtest builds small models for the tests of the packages below ir.
package irtest

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Model returns a model of the given layers, in that order. It sets their ids, and adds an
// output of unknown rank to layers without outputs.
func Model(layers ...*ir.Layer) *ir.Model {
	m := &ir.Model{Version: 11, Layers: layers, Order: layers}
	for i, l := range layers {
		l.Index, l.ID, l.Line, l.Opset = i, uint64(i), i+1, "opset1"
		if l.Outputs == nil {
			l.Outputs = []ir.Output{{Declared: ir.UnknownRank}}
		}
		if l.Type == "Parameter" {
			m.Parameters = append(m.Parameters, l)
		}
	}
	return m
}

// Layer returns a layer that reads output 0 of the given layers.
func Layer(name, layerType string, from ...*ir.Layer) *ir.Layer {
	l := &ir.Layer{Name: name, Type: layerType}
	for _, source := range from {
		l.Inputs = append(l.Inputs, ir.Input{Source: source, Declared: ir.UnknownRank})
	}
	return l
}

// Parameter returns a Parameter of float32.
func Parameter(name, shape string) *ir.Layer {
	l := Layer(name, "Parameter")
	l.Data = []ir.Attribute{{Name: "element_type", Value: "f32"}, {Name: "shape", Value: shape}}
	return l
}

// Body returns a body with one Parameter, and the body's Result: a Sum of the Parameter and
// itself.
func Body(shape string) (*ir.Model, *ir.Layer) {
	inner := Parameter("inner", shape)
	sum := Layer("sum", "Sum", inner, inner)
	body := Model(inner, sum)
	body.Results = []*ir.Layer{sum}
	return body, sum
}

// AddBody sets body as the only body of owner.
func AddBody(owner *ir.Layer, body *ir.Model) {
	owner.Bodies = []ir.Body{{Model: body}}
	for _, layer := range body.Layers {
		layer.Owner = owner
	}
}

// Rules maps layer types to rules.
type Rules map[string]*infer.Rule

// Rule implements infer.Rules.
func (r Rules) Rule(layer *ir.Layer) (*infer.Rule, error) {
	if rule, ok := r[layer.Type]; ok {
		return rule, nil
	}
	return nil, unknownType(layer.Type)
}

// unknownType is the error for a layer type without a rule. It implements validate.Unsupported.
type unknownType string

func (e unknownType) Error() string     { return "no rule for " + string(e) }
func (e unknownType) Unsupported() bool { return true }

// SumRules returns the rules of Parameter and Constant, of Sum, which adds two tensors of
// equal shape and folds constants, of Pair, which has two outputs, and of Panic.
func SumRules() Rules {
	return Rules{
		"Parameter": {Infer: func(in *infer.Inference) error {
			a := ir.AttributesOf(in.Layer)
			in.Outputs[0] = ir.Fact{Type: a.ElementType("element_type", ir.Dynamic), Shape: a.PartialShape("shape", ir.PartialShape{})}
			return a.Err()
		}},
		"Constant": {Infer: func(in *infer.Inference) error {
			c := in.Layer.Constant
			in.Outputs[0] = ir.Fact{Type: c.ElementType(), Shape: c.Shape().Partial(), Tensor: c}
			return nil
		}},
		"Sum": {Inputs: infer.Arity{Min: 2, Max: 2}, Infer: inferSum, Fold: foldSum},
		"Pair": {Inputs: infer.Arity{Max: 1}, Infer: func(in *infer.Inference) error {
			in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: in.Inputs[0].Shape}
			in.Outputs[1] = ir.Fact{}
			return nil
		}},
		"Panic": {Inputs: infer.Arity{Max: -1}, Infer: func(in *infer.Inference) error { _ = in.Inputs[7]; return nil }},
	}
}

func inferSum(in *infer.Inference) error {
	merged, ok := in.Inputs[0].Shape.Merge(in.Inputs[1].Shape)
	if !ok {
		return fmt.Errorf("input shapes %v and %v differ", in.Inputs[0].Shape, in.Inputs[1].Shape)
	}
	in.Outputs[0] = ir.Fact{Type: in.Inputs[0].Type, Shape: merged}
	return nil
}

func foldSum(in *infer.Inference) {
	a, _ := in.Inputs[0].Ints()
	b, _ := in.Inputs[1].Ints()
	for i := range a {
		a[i] += b[i]
	}
	in.Outputs[0].Tensor, _ = ir.TensorOfInts(in.Outputs[0].Type, in.Inputs[0].Tensor.Shape(), a)
}

// BodyRules returns SumRules with a rule for the layer type Loop. The rule infers the body from
// each of the facts that steps returns; the output is that of the last inference.
func BodyRules(steps func(in *infer.Inference) []ir.Fact) Rules {
	rules := SumRules()
	rules["Loop"] = &infer.Rule{Inputs: infer.Arity{Min: 1, Max: 1}, Infer: func(in *infer.Inference) error {
		for _, fact := range steps(in) {
			facts, err := in.Body(0, []ir.Fact{fact})
			if err != nil {
				return err
			}
			in.Outputs[0] = facts[0]
		}
		return nil
	}}
	return rules
}

// Once is an argument of BodyRules. The body is inferred once.
func Once(in *infer.Inference) []ir.Fact { return in.Inputs }

// Twice is an argument of BodyRules. The body is inferred a second time, with one more axis.
func Twice(in *infer.Inference) []ir.Fact {
	dims := append([]ir.Dimension{ir.AnyDim}, in.Inputs[0].Shape.Dims()...)
	return []ir.Fact{in.Inputs[0], {Type: ir.F32, Shape: ir.ShapeOf(dims...)}}
}
