package edit

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// Builder builds a model, or changes a copy of one, and infers each layer as soon as it is added.
//
//	b := edit.NewBuilder(ctx, rules, "small")
//	x := b.Parameter("x", ir.F32, ir.StaticShape(1, 4))
//	w := b.ConstantOf([]float32{1, 2, 3, 4}, 4, 1)
//	y := b.Layer("MatMul", 1, edit.Attributes("transpose_a", "false", "transpose_b", "false"), x, w)
//	b.Result("y", y)
//	model, err := b.Model()
//
// The first error is kept: all calls after it do nothing, and Err and Model return it. Model checks
// the whole graph. A Builder must not be used by several goroutines at once.
type Builder struct {
	ctx    context.Context
	rules  infer.Rules
	model  *ir.Model
	editor *Editor
	err    error
	// facts has the facts of the outputs of each layer, by Layer.Index. stale means that a change
	// may have made others of them.
	facts [][]ir.Fact
	stale bool
	// added means that nothing was changed since layers were added, of which all facts are.
	added bool
	// names has the number of layers of each name, and tensors the output of each tensor name.
	names   map[string]int
	tensors map[string]Source
	removed map[*ir.Layer]bool
}

// NewBuilder returns a Builder of a model without layers. The rules are those of a plugin.Registry.
// If ctx is done, the Builder fails with its error.
func NewBuilder(ctx context.Context, rules infer.Rules, name string) *Builder {
	return newBuilder(ctx, rules, &ir.Model{Name: name, Version: 11, BinSize: -1})
}

// Change returns a Builder that starts with a copy of m. It is not an error if layers of m cannot
// be inferred, unless Builder.Model still cannot infer them.
func Change(ctx context.Context, m *ir.Model, rules infer.Rules) *Builder {
	b := newBuilder(ctx, rules, m.Clone())
	b.stale = true
	return b
}

func newBuilder(ctx context.Context, rules infer.Rules, m *ir.Model) *Builder {
	b := &Builder{
		ctx: ctx, rules: rules, model: m, editor: New(m), facts: make([][]ir.Fact, len(m.Layers)),
		names: make(map[string]int), tensors: make(map[string]Source), removed: make(map[*ir.Layer]bool),
	}
	b.added, b.editor.alone = len(m.Layers) == 0, len(m.Layers) == 0
	if !b.added {
		b.editor.count() // in the order of m, which changes do not update
	}
	for _, layer := range m.Layers {
		b.names[layer.Name]++
		for i := range layer.Outputs {
			for _, name := range layer.Outputs[i].Names {
				if _, ok := b.tensors[name]; !ok {
					b.tensors[name] = Source{layer, i}
				}
			}
		}
	}
	return b
}

// Err returns the first error.
func (b *Builder) Err() error { return b.err }

// fail keeps err, unless there already is an error.
func (b *Builder) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

func (b *Builder) failf(format string, args ...any) { b.fail(faults.Errorf(format, args...)) }

// failAt keeps an error about layer.
func (b *Builder) failAt(layer *ir.Layer, format string, args ...any) {
	b.fail(&ir.LayerError{Layer: layer, Err: faults.Errorf(format, args...)})
}

// Parameter adds an input of the model. name is the name of the layer and of its tensor.
func (b *Builder) Parameter(name string, t ir.ElementType, shape ir.PartialShape) Source {
	s := b.add(&ir.Layer{Name: name, Type: "Parameter", Opset: "opset1", Data: parameterData(t, shape)})
	if b.err == nil {
		b.model.Parameters = append(b.model.Parameters, s.Layer)
		b.NameTensor(s, name)
	}
	return s
}

// parameterData returns the attributes of a Parameter.
func parameterData(t ir.ElementType, shape ir.PartialShape) []ir.Attribute {
	return Attributes("shape", strings.Trim(shape.String(), "[]"), "element_type", t.String())
}

// Constant adds a Constant. It shares value, which must not change any more.
func (b *Builder) Constant(value *ir.Tensor) Source {
	if value == nil {
		b.failf("the value of a Constant is nil")
		return Source{}
	}
	return b.add(&ir.Layer{Type: "Constant", FileType: "Const", Opset: "opset1", Constant: value, Data: constantData(value.ElementType(), value.Shape())})
}

// constantData returns the attributes of a Constant.
func constantData(t ir.ElementType, shape ir.Shape) []ir.Attribute {
	return Attributes("element_type", t.String(), "shape", strings.Trim(shape.String(), "[]"))
}

// ConstantOf adds a Constant of Go values: those of ir.TensorFrom.
func (b *Builder) ConstantOf(data any, shape ...int) Source {
	value, err := ir.TensorFrom(data, shape...)
	if err != nil {
		b.fail(err)
		return Source{}
	}
	return b.Constant(value)
}

// Layer adds a layer of an opset, such as 8 for opset8, and returns its first output. Its type, its
// attributes, which are texts as in a file, and the types and shapes of its inputs are checked. An
// attribute that its type does not have, or that OpenVINO requires and that is missing, is an error
// too. The layer has all outputs that its type has: Source.Out returns the others. Its name is its
// type and its id: Name gives it another one.
//
// Layers with bodies are added by LayerWithBodies.
func (b *Builder) Layer(layerType string, opset int, attributes []ir.Attribute, inputs ...Source) Source {
	return b.Extension(layerType, "opset"+strconv.Itoa(opset), attributes, inputs...)
}

// Extension is Layer for a layer type of a namespace, such as "extension", instead of an opset.
func (b *Builder) Extension(layerType, namespace string, attributes []ir.Attribute, inputs ...Source) Source {
	return b.add(&ir.Layer{Type: layerType, Opset: namespace, Data: slices.Clone(attributes)}, inputs...)
}

// LayerWithBodies is Layer for a layer type with bodies, such as If or Loop, which gets the given
// number of outputs. The models of the bodies, which other Builders return, belong to the layer
// from then on. Their ports name inputs and outputs of the layer by position.
func (b *Builder) LayerWithBodies(layerType string, opset int, attributes []ir.Attribute, bodies []ir.Body, outputs int, inputs ...Source) Source {
	layer := &ir.Layer{Type: layerType, Opset: "opset" + strconv.Itoa(opset), Data: slices.Clone(attributes), Bodies: slices.Clone(bodies)}
	for i := range bodies {
		m := bodies[i].Model
		if m == nil {
			b.failAt(layer, "body %d has no model", i)
			return Source{}
		}
		for _, inner := range m.Layers {
			if inner.Owner != nil {
				b.failAt(layer, "body %d is body %d of %v", i, inner.OwnerBody, inner.Owner)
				return Source{}
			}
		}
		for _, inner := range m.Layers {
			inner.Owner, inner.OwnerBody = layer, i
		}
	}
	if outputs < 1 || outputs > maxOutputs {
		b.failAt(layer, "%d outputs are wanted, expected 1 to %d", outputs, maxOutputs)
		return Source{}
	}
	layer.Outputs = make([]ir.Output, outputs)
	return b.add(layer, inputs...)
}

// maxOutputs is the largest number of outputs of a layer with bodies.
const maxOutputs = 1 << 16

// Result adds an output of the model: the tensor s. name, if it is not empty, is added to the names
// of that tensor.
func (b *Builder) Result(name string, s Source) Source {
	layerName := name + "/sink_port_0" // as OpenVINO's converters name it
	if name == "" || b.names[layerName] > 0 {
		layerName = ""
	}
	r := b.add(&ir.Layer{Name: layerName, Type: "Result", Opset: "opset1"}, s)
	if b.err != nil {
		return Source{}
	}
	r.Layer.Outputs = nil // it has none in a file
	b.model.Results = append(b.model.Results, r.Layer)
	out := &s.Layer.Outputs[s.Output]
	if name != "" && !slices.Contains(out.Names, name) {
		b.NameTensor(s, append(slices.Clone(out.Names), name)...)
	}
	r.Layer.OutputNames = out.Names
	return r
}

// add adds a layer that reads inputs, and infers it.
func (b *Builder) add(layer *ir.Layer, inputs ...Source) Source {
	if b.err != nil {
		return Source{}
	}
	layer.ID = b.editor.id()
	if layer.Name == "" {
		layer.Name = layer.Type + "_" + strconv.FormatUint(layer.ID, 10)
		for n := 1; b.names[layer.Name] > 0; n++ {
			layer.Name = layer.Type + "_" + strconv.FormatUint(layer.ID, 10) + "_" + strconv.Itoa(n)
		}
	}
	if layer.FileType == "" {
		layer.FileType = layer.Type
	}
	if n := b.names[layer.Name]; n > 0 {
		b.failAt(layer, "the model has a layer of that name")
		return Source{}
	}
	facts := make([]ir.Fact, len(inputs))
	for i, in := range inputs {
		if err := b.check(in); err != nil {
			b.failAt(layer, "input %d: %w", i, err)
			return Source{}
		}
	}
	if b.refresh(); b.err != nil {
		return Source{}
	}
	for i, in := range inputs {
		facts[i] = b.facts[in.Layer.Index][in.Output]
	}
	layer.Inputs = Inputs(inputs...)
	for i := range layer.Bodies {
		if err := checkBody(layer, &layer.Bodies[i], i); err != nil {
			b.failAt(layer, "%w", err)
			return Source{}
		}
	}
	outputs, notes, err := infer.Layer(b.ctx, layer, b.rules, facts)
	switch {
	case err != nil:
		b.fail(&ir.LayerError{Layer: layer, Err: err})
		return Source{}
	case len(notes) > 0:
		b.failAt(layer, "%s", strings.Join(notes, "; "))
		return Source{}
	}
	layer.Outputs = make([]ir.Output, len(outputs))
	for i := range outputs {
		layer.Outputs[i].Port = uint64(len(inputs) + i)
	}
	b.editor.add(layer)
	b.facts = append(b.facts, outputs)
	b.names[layer.Name]++
	return First(layer)
}

// check returns an error unless s is an output of a layer of the model.
func (b *Builder) check(s Source) error {
	switch {
	case s.Layer == nil:
		return errors.New("the source has no layer")
	case !holds(b.model, s.Layer) || b.removed[s.Layer]:
		return faults.Errorf("%v is not in the model", s.Layer)
	case s.Layer.Type == "Result":
		return faults.Errorf("%v has no output that can be read", s.Layer)
	case s.Output < 0 || s.Output >= len(s.Layer.Outputs):
		return faults.Errorf("%v has no output %d, it has %d", s.Layer, s.Output, len(s.Layer.Outputs))
	}
	return nil
}

// valid reports whether s is an output of a layer of the model. If not, it keeps an error.
func (b *Builder) valid(s Source) bool {
	if b.err != nil {
		return false
	}
	if err := b.check(s); err != nil {
		b.fail(err)
		return false
	}
	return true
}

// Fact returns the type and the shape of an output, and its value as far as it is known. After an
// error, its shape has an unknown rank.
func (b *Builder) Fact(s Source) ir.Fact {
	if !b.valid(s) {
		return ir.Fact{Shape: ir.UnknownRank}
	}
	if b.refresh(); b.err != nil {
		return ir.Fact{Shape: ir.UnknownRank}
	}
	return b.facts[s.Layer.Index][s.Output]
}

// refresh infers all layers again if a change may have made their facts others. Layers that cannot
// be inferred have the types and shapes in the file: Model reports them.
func (b *Builder) refresh() {
	if !b.stale || b.err != nil {
		return
	}
	all := *b.model
	if all.Order, b.err = sortAll(b.model, b.removed); b.err != nil {
		return
	}
	shapes, err := infer.Propagate(b.ctx, &all, b.rules, nil)
	if shapes == nil {
		b.fail(err)
		return
	}
	b.stale, b.added = false, false
	for i, layer := range b.model.Layers {
		if !b.removed[layer] {
			b.facts[i] = shapes.Outputs(layer)
		}
	}
}

// Model returns the model. It leaves out the layers that no output depends on, as OpenVINO's reader
// does, and sets the types and dims of the ports to what is inferred. The error joins an
// *ir.LayerError for each layer that cannot be inferred. The Builder must not be used afterwards.
func (b *Builder) Model() (*ir.Model, error) {
	if b.err != nil {
		return nil, b.err
	}
	m, err := b.finish()
	if b.err = err; err == nil {
		b.err = errors.New("the Builder was used after Model")
	}
	return m, err
}

func (b *Builder) finish() (*ir.Model, error) {
	m := b.model
	inferred := b.added && !b.stale && b.declare()
	drop(m, func(layer *ir.Layer) bool { return !b.removed[layer] })
	if err := Sort(m); err != nil {
		return nil, err
	}
	Prune(m)
	if len(m.Results) == 0 && len(m.Sinks) == 0 {
		return nil, errors.New("the model has no Result")
	}
	if !inferred {
		shapes, err := infer.Propagate(b.ctx, m, b.rules, nil)
		if err != nil {
			return nil, err
		}
		Declare(m, shapes)
	}
	for _, r := range m.Results {
		b.nameOutput(r)
	}
	if err := Check(m); err != nil {
		return nil, faults.Errorf("BUG: %w", err)
	}
	return m, nil
}

// declare sets the types and dims of all ports to what was inferred when layers were added. It
// reports whether it did: variables and bodies are inferred with more layers than one.
func (b *Builder) declare() bool {
	for _, layer := range b.model.Layers {
		if len(layer.Bodies) > 0 || layer.Type == "ReadValue" || isSink(layer) {
			return false
		}
	}
	for i, layer := range b.model.Layers {
		if b.removed[layer] {
			continue
		}
		for k := range layer.Inputs {
			in := &layer.Inputs[k]
			fact := &b.facts[in.Source.Index][in.SourceIndex]
			in.DeclaredType, in.Declared = fact.Type, fact.Shape
		}
		for k := range layer.Outputs {
			layer.Outputs[k].DeclaredType, layer.Outputs[k].Declared = b.facts[i][k].Type, b.facts[i][k].Shape
		}
	}
	return true
}

// nameOutput removes the names of a Result that are now those of another tensor than the one that
// it reads, which gets the names that no tensor has. If none is left, the Result has the names of
// that tensor.
func (b *Builder) nameOutput(r *ir.Layer) {
	s := SourceOf(r.Inputs[0])
	var names []string
	for _, name := range r.OutputNames {
		owner, owned := b.tensors[name]
		if !owned {
			out := &s.Layer.Outputs[s.Output]
			out.Names = append(slices.Clip(out.Names), name)
			b.tensors[name], owner = s, s
		}
		if owner == s {
			names = append(names, name)
		}
	}
	if names == nil {
		names = s.Layer.Outputs[s.Output].Names
	}
	r.OutputNames = names
}

// quoted returns a name for an error.
func quoted(name string) string { return printable.Quote(name, 200) }
