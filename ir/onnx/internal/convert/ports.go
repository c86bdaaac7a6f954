package convert

import (
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/tensors"
)

// checkNames returns an error if the options name an input that the model does not have.
func (g *graph) checkNames(p *proto.Graph) error {
	inputs := make(map[string]bool, len(p.Inputs))
	for _, input := range p.Inputs {
		_, constant := g.initializers[input.Name]
		inputs[input.Name] = !constant
	}
	for _, name := range slices.Sorted(maps.Keys(g.Lengths)) {
		if !inputs[name] {
			return faults.Errorf("the options have the length of an input %s, which the model does not have", printable.Quote(name, maxNameText))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.Constants)) {
		if !inputs[name] {
			return faults.Errorf("the options have the value of an input %s, which the model does not have", printable.Quote(name, maxNameText))
		}
	}
	return nil
}

// input adds the Parameters of an input: one, or one for each tensor of a sequence. An optional is
// what it has a value of, unless the options say that it has none.
func (g *graph) input(input *proto.ValueInfo) error {
	if input.Name == "" {
		return errors.New("it has no name")
	}
	if _, ok := g.values[input.Name]; ok {
		return errors.New("there are two of that name")
	}
	v, err := g.inputOf(input.Name, input.Type)
	if err != nil {
		return err
	}
	g.values[input.Name] = v
	return g.builder.Err()
}

// inputOf returns the value of an input of a type.
func (g *graph) inputOf(name string, t *proto.Type) (Value, error) {
	length, given := g.Lengths[name]
	if t != nil && t.Kind == proto.KindOptional {
		if given && length == NoValue {
			return Empty(), nil
		}
		t = t.Element
		g.note("input %s is optional, and is read as one that is given", printable.Quote(name, maxNameText))
	}
	if t == nil || t.Kind != proto.KindSequence {
		if given {
			return Value{}, faults.Errorf("it is no sequence, and is given the length %d", length)
		}
		return g.tensorInput(name, t)
	}
	e, shape, err := g.tensorType(t.Element)
	switch {
	case err != nil:
		return Value{}, err
	case !given:
		return Value{}, faults.Errorf("%w; with its length in Options.Lengths, it becomes as many inputs of type %v%v",
			&tensors.UnsupportedTypeError{Type: t.Kind.String()}, e, shape)
	case g.Constants[name] != nil:
		return Value{}, errors.New("it is a sequence, and the options have a tensor for it")
	case length < 0:
		return Value{}, faults.Errorf("it is given the length %d", length)
	}
	if err := g.spend(length); err != nil {
		return Value{}, err
	}
	parts := make([]Part, length)
	for i := range parts {
		parts[i].Value = Value{source: g.builder.Parameter(g.unique(elementName(name, i)), e, shape)}
	}
	return Value{list: &List{Type: e, Parts: parts}}, nil
}

// tensorInput returns the value of an input that is a tensor: a Constant if the options have its
// value.
func (g *graph) tensorInput(name string, t *proto.Type) (Value, error) {
	e, shape, err := g.tensorType(t)
	if err != nil {
		return Value{}, err
	}
	constant, ok := g.Constants[name]
	if !ok {
		return Value{source: g.builder.Parameter(name, e, shape)}, nil
	}
	if constant == nil {
		return Value{}, errors.New("the options have nil for it")
	}
	if is := constant.ElementType(); is != e || !shape.Compatible(constant.Shape().Partial()) {
		return Value{}, faults.Errorf("it is %v%v, and the options have %v%v for it", e, shape, is, constant.Shape())
	}
	v := Value{source: g.builder.Constant(constant)}
	g.define(name, v)
	return v, nil
}

// elementName returns the name of an input or an output for a tensor of a sequence.
func elementName(name string, i int) string { return name + "." + strconv.Itoa(i) }

// result adds the Results of an output: one, or one for each tensor of a sequence.
func (g *graph) result(name string, v Value) error {
	if v.IsTensor() {
		return g.resultOf(name, v)
	}
	if v.list != nil {
		if _, known := v.list.Length(); !known {
			return errors.New("it is a sequence whose length depends on data: only those of known length can be outputs, one for each tensor")
		}
	}
	values := v.Tensors()
	g.note("output %s is %v, and has an output for each tensor", printable.Quote(name, maxNameText), v)
	for i, tensor := range values {
		if err := g.resultOf(g.unique(elementName(name, i)), tensor); err != nil {
			return err
		}
	}
	return nil
}

// resultOf adds the Result of a tensor.
func (g *graph) resultOf(name string, v Value) error {
	names := v.source.Layer.Outputs[v.source.Output].Names
	if len(names) >= maxNames && !slices.Contains(names, name) {
		return faults.Errorf("its value has %d other names, the limit", len(names))
	}
	g.builder.Result(name, v.source)
	return nil
}
