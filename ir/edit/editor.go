package edit

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// Source is an output of a layer that an input can read.
type Source struct {
	Layer  *ir.Layer
	Output int
}

// SourceOf returns what an input reads. It is not inlined: its callers would be 6.8 KiB larger.
//
//go:noinline
func SourceOf(in ir.Input) Source { return Source{in.Source, in.SourceIndex} }

// First returns output 0 of a layer.
func First(layer *ir.Layer) Source { return Source{layer, 0} }

// Out returns output i of the layer of s.
func (s Source) Out(i int) Source { return Source{s.Layer, i} }

// Input returns an input that reads s.
func (s Source) Input() ir.Input { return ir.Input{Source: s.Layer, SourceIndex: s.Output} }

// Editor adds layers to the graph of a model and connects them. Changes take effect at once,
// except for Model.Order and Model.Sinks, which Finish updates. The body of a layer is a model
// of its own and needs its own Editor.
type Editor struct {
	model   *ir.Model
	nextID  uint64 // 0 until a layer is added
	changed bool
	// alone means that all layers come from this Editor: there is no order yet.
	alone bool
	// readers lists the inputs that read each source, and maybe some that read another source by
	// now. counts is the number of inputs that read each source. Both are nil until they are
	// needed.
	readers map[Source][]*ir.Input
	counts  map[Source]int
}

// New returns an Editor of m, whose Order must be up to date. Layers outside of the order do
// not count as readers.
func New(m *ir.Model) *Editor { return &Editor{model: m} }

// Changed reports whether anything was changed since New or Finish.
func (e *Editor) Changed() bool { return e.changed }

// Finish calls Sort if anything was changed. Layers that nothing depends on any more are
// removed from Model.Order. The error is that of Sort.
func (e *Editor) Finish() error {
	if !e.changed {
		return nil
	}
	e.changed, e.readers, e.counts = false, nil, nil
	return Sort(e.model)
}

// Insert adds a layer with one output on behalf of the layer origin. The name is that of
// origin, followed by a slash and part if part is not empty. The id is above all others. The
// Origin is origin or, if origin was added too, the Origin of origin. Nothing reads the layer
// yet.
func (e *Editor) Insert(origin *ir.Layer, part, layerType, opset string, data []ir.Attribute, inputs ...Source) *ir.Layer {
	layer := &ir.Layer{
		ID: e.id(), Line: origin.Line, Origin: origin,
		Name: origin.Name, Type: layerType, FileType: layerType, Opset: opset, Data: data,
		Owner: origin.Owner, OwnerBody: origin.OwnerBody,
		Outputs: []ir.Output{{Port: uint64(len(inputs)), Declared: ir.UnknownRank}},
	}
	if origin.Origin != nil {
		layer.Origin = origin.Origin
	}
	if part != "" {
		layer.Name += "/" + part
	}
	layer.Inputs = Inputs(inputs...)
	e.add(layer)
	return layer
}

// add appends layer to the model.
func (e *Editor) add(layer *ir.Layer) {
	layer.Index = len(e.model.Layers)
	e.model.Layers = append(e.model.Layers, layer)
	if e.readers != nil {
		e.addReaders(layer)
	}
	e.changed = true
}

// Inputs returns inputs that read the given sources. They have no declared types and shapes.
func Inputs(sources ...Source) []ir.Input {
	inputs := make([]ir.Input, len(sources))
	for i, s := range sources {
		inputs[i] = ir.Input{Port: uint64(i), Declared: ir.UnknownRank, Source: s.Layer, SourceIndex: s.Output}
	}
	return inputs
}

// id returns an unused id.
func (e *Editor) id() uint64 {
	if e.nextID == 0 {
		for _, layer := range e.model.Layers {
			e.nextID = max(e.nextID, layer.ID+1)
		}
	}
	e.nextID++
	return e.nextID - 1
}

// Constant inserts a Constant of the given value.
func (e *Editor) Constant(origin *ir.Layer, part string, value *ir.Tensor) *ir.Layer {
	layer := e.MissingConstant(origin, part, value.ElementType(), value.Shape())
	layer.Constant = value
	return layer
}

// MissingConstant inserts a Constant without a value, as in a model that was read without
// its .bin.
func (e *Editor) MissingConstant(origin *ir.Layer, part string, t ir.ElementType, shape ir.Shape) *ir.Layer {
	layer := e.Insert(origin, part, "Constant", "opset1", constantData(t, shape))
	layer.FileType = "Const"
	layer.Outputs[0].DeclaredType, layer.Outputs[0].Declared = t, shape.Partial()
	return layer
}

// Ints inserts a Constant of integers of type t, which must hold them.
func (e *Editor) Ints(origin *ir.Layer, part string, t ir.ElementType, shape ir.Shape, values ...int64) Source {
	value, err := ir.TensorOfInts(t, shape, values)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return First(e.Constant(origin, part, value))
}

// Connect sets the source of an input of a layer.
func (e *Editor) Connect(in *ir.Input, to Source) {
	if e.readers != nil {
		e.counts[SourceOf(*in)]--
		e.readers[to] = append(e.readers[to], in)
		e.counts[to]++
	}
	in.Source, in.SourceIndex = to.Layer, to.Output
	e.changed = true
}

// SetInputs replaces the inputs of layer by ones that read the given sources.
func (e *Editor) SetInputs(layer *ir.Layer, sources ...Source) {
	if e.readers != nil {
		e.Forget(layer)
	}
	layer.Inputs = Inputs(sources...)
	if e.readers != nil {
		e.addReaders(layer)
	}
	e.changed = true
}

// Replace changes the inputs that read the source from: they read the source to instead.
func (e *Editor) Replace(from, to Source) {
	for _, in := range e.Readers(from) {
		in.Source, in.SourceIndex = to.Layer, to.Output
		e.readers[to] = append(e.readers[to], in)
	}
	e.counts[to] += e.counts[from]
	delete(e.readers, from)
	delete(e.counts, from)
	e.changed = true
}

// Forget removes the inputs of layer from the counts of readers. It is for a layer that is
// about to be replaced.
func (e *Editor) Forget(layer *ir.Layer) {
	e.count()
	for _, in := range layer.Inputs {
		e.counts[SourceOf(in)]--
	}
}

// Readers returns the inputs that read s. The slice is valid until the next change.
func (e *Editor) Readers(s Source) []*ir.Input {
	e.count()
	e.readers[s] = slices.DeleteFunc(e.readers[s], func(in *ir.Input) bool { return SourceOf(*in) != s })
	return e.readers[s]
}

// ReaderCount returns the number of inputs that read s, without those of forgotten layers.
func (e *Editor) ReaderCount(s Source) int {
	e.count()
	return e.counts[s]
}

// count counts the readers of all sources, unless that was done.
func (e *Editor) count() {
	if e.readers != nil {
		return
	}
	layers := e.model.Order
	if e.alone {
		layers = e.model.Layers
	}
	e.readers, e.counts = make(map[Source][]*ir.Input, len(layers)), make(map[Source]int, len(layers))
	for _, layer := range layers {
		e.addReaders(layer)
	}
}

// addReaders adds the inputs of layer to readers and counts.
func (e *Editor) addReaders(layer *ir.Layer) {
	for i := range layer.Inputs {
		in := &layer.Inputs[i]
		s := SourceOf(*in)
		e.readers[s] = append(e.readers[s], in)
		e.counts[s]++
	}
}
