package convert

import (
	"errors"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/tensors"
)

// states are the inputs of a model that become variables, and the outputs that are the values of
// these variables in the next inference.
type states struct {
	// inputs and outputs have the names of the variables, by those of inputs and outputs.
	inputs, outputs map[string]string
	values          map[edit.Source]bool
}

// beams is the name of the input that says, for each text of a batch, which one of the inference
// before it continues: that of OpenVINO's language models.
const beams = "beam_idx"

// findStates finds the pairs of an input and an output whose names differ only in the words "past"
// and "present", as past_key_values.0.key and present.0.key. It is an error if there is none.
func (g *graph) findStates(p *proto.Graph) error {
	s := states{make(map[string]string), make(map[string]string), make(map[edit.Source]bool)}
	inputs := make(map[string]string)
	for _, v := range p.Inputs {
		_, isInitializer := g.initializers[v.Name]
		if rest, ok := without(v.Name, "past"); ok && !isInitializer && g.Constants[v.Name] == nil {
			inputs[rest] = v.Name
		}
	}
	for _, v := range p.Outputs {
		rest, ok := without(v.Name, "present")
		if input := inputs[rest]; ok && input != "" {
			s.inputs[input], s.outputs[v.Name] = input+v.Name, input+v.Name
			delete(inputs, rest)
		}
	}
	if len(s.inputs) == 0 {
		return errors.New("no input and output are a state of the past, as past_key_values.0.key and present.0.key are by their names")
	}
	g.states = s
	return nil
}

// without returns a name without a word and the "_key_values" behind it, and whether the name has
// the word.
func without(name, word string) (rest string, ok bool) {
	before, after, ok := strings.Cut(name, word)
	return before + strings.TrimPrefix(after, "_key_values"), ok
}

// addStates adds the variables of the inputs that become states.
func (g *graph) addStates(p *proto.Graph) error {
	var order edit.Source
	for _, input := range p.Inputs {
		if g.states.inputs[input.Name] == "" {
			continue
		}
		if err := g.addState(p, input, &order); err != nil {
			return faults.Errorf("input %s: %w", printable.Quote(input.Name, maxNameText), err)
		}
	}
	return nil
}

// addState adds the variable of an input. Its first value is 0, of as many texts as the tokens
// have; other unknown lengths, those of the past, are 0 then. order is the input with the order of
// texts, which the first variable of an unknown number of texts adds.
func (g *graph) addState(p *proto.Graph, input *proto.ValueInfo, order *edit.Source) error {
	if _, ok := g.values[input.Name]; ok {
		return errors.New("there are two of that name")
	}
	t, shape, err := g.tensorType(input.Type)
	if err != nil {
		return err
	}
	if shape.Rank() < 1 {
		return faults.Errorf("its shape is %v, and that of a state must have axes", shape)
	}
	axis := g.batchAxis(p, input.Type, shape)
	if axis >= 0 && order.Layer == nil {
		if *order, err = g.beams(p); err != nil {
			return err
		}
	}
	variable := Attributes("variable_id", g.states.inputs[input.Name], "variable_type", t, "variable_shape", strings.Trim(shape.String(), "[]"))
	v := g.builder.Layer("ReadValue", 6, variable, g.initial(p, t, shape, axis))
	if axis >= 0 {
		v = g.builder.Layer("Gather", 8, Attributes("batch_dims", 0), v, *order, g.builder.ConstantOf(int64(axis)))
	}
	g.states.values[v] = true
	g.define(input.Name, valueOf(v).holding(tensors.Narrow(input.Type.ElementType)))
	return g.builder.Err()
}

// beams adds the input for the order of texts.
func (g *graph) beams(p *proto.Graph) (edit.Source, error) {
	for _, input := range p.Inputs {
		if input.Name == beams {
			return edit.Source{}, faults.Errorf("the model has an input %s, and a state needs one of its own", beams)
		}
	}
	g.taken[beams]++
	return g.builder.Parameter(beams, ir.I32, ir.ShapeOf(ir.AnyDim)), g.builder.Err()
}

// batchAxis returns the axis of a state along which texts are; -1 if their number is known. It is
// the one whose length has the name of that of the tokens, as axis 1 where keys and values are
// joined along axis 0, or else axis 0.
func (g *graph) batchAxis(p *proto.Graph, t *proto.Type, shape ir.PartialShape) int {
	if tokens := g.tokens(p); tokens != nil && tokens.Type.Shape != nil && len(tokens.Type.Shape.Dims) > 0 {
		batch := tokens.Type.Shape.Dims[0].Name
		for axis, d := range t.Shape.Dims {
			if batch != "" && d.Name == batch && !shape.At(axis).IsStatic() {
				return axis
			}
		}
	}
	if shape.At(0).IsStatic() {
		return -1
	}
	return 0
}

// initial returns the first value of a state, whose texts are along an axis unless it is -1.
func (g *graph) initial(p *proto.Graph, t ir.ElementType, shape ir.PartialShape, axis int) edit.Source {
	lengths := make([]int64, shape.Rank())
	for i := range lengths {
		if shape.At(i).IsStatic() {
			lengths[i] = shape.At(i).Max
		}
	}
	target := g.builder.ConstantOf(lengths, len(lengths))
	if axis >= 0 {
		parts := []edit.Source{g.batch(p)}
		if axis > 0 {
			parts = slices.Insert(parts, 0, g.builder.ConstantOf(lengths[:axis], axis))
		}
		if rest := lengths[axis+1:]; len(rest) > 0 {
			parts = append(parts, g.builder.ConstantOf(rest, len(rest)))
		}
		target = g.builder.Layer("Concat", 1, Attributes("axis", 0), parts...)
	}
	zero := g.builder.Layer("Convert", 1, Attributes("destination_type", t), g.builder.ConstantOf(float32(0)))
	return g.builder.Layer("Broadcast", 3, Attributes("mode", "numpy"), zero, target)
}

// tokens returns the input with the tokens, a tensor; nil if there is none. It is the first input
// that is no state, unless one has the name that exporters give it.
func (g *graph) tokens(p *proto.Graph) (tokens *proto.ValueInfo) {
	for _, input := range p.Inputs {
		v, ok := g.values[input.Name]
		if !ok || !v.IsTensor() || v.source().Layer.Type != "Parameter" || g.states.inputs[input.Name] != "" {
			continue
		}
		if isNamed := input.Name == "input_ids" || input.Name == "inputs_embeds"; isNamed || tokens == nil {
			tokens = input
		}
	}
	return tokens
}

// batch returns the number of texts: the first length of the tokens.
func (g *graph) batch(p *proto.Graph) edit.Source {
	tokens := g.tokens(p)
	if tokens == nil {
		return g.builder.ConstantOf([]int64{1}, 1)
	}
	lengths := g.builder.Layer("ShapeOf", 3, Attributes("output_type", ir.I64), g.values[tokens.Name].source())
	first := g.builder.ConstantOf([]int64{0}, 1)
	return g.builder.Layer("Gather", 8, Attributes("batch_dims", 0), lengths, first, g.builder.ConstantOf(int64(0)))
}

// output adds the Assign of a state, or the Results of another output, which has type t in the
// file.
func (g *graph) output(name string, v Value, t *proto.Type) error {
	id := g.states.outputs[name]
	if id == "" {
		return g.result(name, v, t)
	}
	delete(g.states.outputs, name) // another output of the name is one of the model
	if err := v.checkTensor(); err != nil {
		return faults.Errorf("it is %w", err)
	}
	g.builder.Layer("Assign", 6, Attributes("variable_id", id), v.source())
	return g.builder.Err()
}

// IsState reports whether v is the value of a variable that the model has in place of an input.
func (n *Node) IsState(v Value) bool { return n.graph.states.values[v.source()] }
