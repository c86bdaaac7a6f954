package edit

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// Find returns an output of a layer by a name: see the function Find.
func (b *Builder) Find(name string) Source {
	if b.err != nil {
		return Source{}
	}
	s, err := find(b.model, name, b.tensors[name], b.removed)
	if err != nil {
		b.fail(err)
		return Source{}
	}
	return s
}

// Layers returns the layers of the model. They can be read, but only the methods of the Builder may
// change them.
func (b *Builder) Layers() []*ir.Layer {
	return slices.DeleteFunc(slices.Clone(b.model.Layers), func(layer *ir.Layer) bool { return b.removed[layer] })
}

// Name sets the name of the layer of s, OpenVINO's friendly name, and returns s. It is an error if
// another layer has that name.
func (b *Builder) Name(s Source, name string) Source {
	if b.err != nil {
		return s
	}
	layer := s.Layer
	switch {
	case layer == nil || !holds(b.model, layer) || b.removed[layer]:
		b.failf("name %s: the layer is not in the model", quoted(name))
	case layer.Name == name:
	case name == "":
		b.failAt(layer, "the new name is empty")
	case b.names[name] > 0:
		b.failAt(layer, "the new name %s is that of another layer", quoted(name))
	default:
		b.names[layer.Name]--
		b.names[name]++
		layer.Name = name
	}
	return s
}

// NameTensor sets the names of the tensor s, by which programs find inputs and outputs, and returns
// s. Without names, the tensor has none. It is an error if another tensor has one of the names.
func (b *Builder) NameTensor(s Source, names ...string) Source {
	if !b.valid(s) {
		return s
	}
	for i, name := range names {
		switch other, taken := b.tensors[name]; {
		case name == "":
			b.failAt(s.Layer, "output %d: tensor name %d is empty", s.Output, i)
			return s
		case taken && other != s:
			b.failAt(s.Layer, "output %d: the tensor name %s is that of output %d of %v", s.Output, quoted(name), other.Output, other.Layer)
			return s
		}
	}
	b.setNames(s, distinct(names))
	return s
}

// distinct returns names without repeats.
func distinct(names []string) []string {
	var list []string
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// setNames sets the names of s, and changes those of the Results that read it accordingly.
func (b *Builder) setNames(s Source, names []string) {
	out := &s.Layer.Outputs[s.Output]
	old := out.Names
	for _, name := range old {
		if b.tensors[name] == s {
			delete(b.tensors, name)
		}
	}
	for _, name := range names {
		b.tensors[name] = s
	}
	out.Names = names
	for _, r := range b.model.Results {
		if len(r.Inputs) > 0 && SourceOf(r.Inputs[0]) == s {
			r.OutputNames = distinct(append(without(r.OutputNames, without(old, names)), without(names, old)...))
		}
	}
}

// without returns the names that are not in others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

// moveNames gives the names of the tensor from to the tensor to, unless from is an input of the
// model.
func (b *Builder) moveNames(from, to Source) {
	if from.Layer.Type == "Parameter" {
		return
	}
	names := from.Layer.Outputs[from.Output].Names
	if len(names) == 0 {
		return
	}
	from.Layer.Outputs[from.Output].Names = nil
	b.setNames(to, distinct(append(slices.Clone(names), to.Layer.Outputs[to.Output].Names...)))
}

// Replace changes all inputs that read from: they read to instead. The names of the tensor from
// become names of to, unless from is an input of the model. It is an error if to depends on from:
// see InsertAfter.
func (b *Builder) Replace(from, to Source) {
	if !b.valid(from) || !b.valid(to) || from == to {
		return
	}
	if b.dependsOn(to.Layer, func(in *ir.Input) bool { return SourceOf(*in) == from }) {
		b.failAt(to.Layer, "it cannot replace output %d of %v, which it depends on", from.Output, from.Layer)
		return
	}
	b.changed(from, to)
	b.editor.Replace(from, to)
	b.moveNames(from, to)
}

// dependsOn reports whether layer, or a layer that it depends on, has an input for which is returns
// true.
func (b *Builder) dependsOn(layer *ir.Layer, is func(*ir.Input) bool) bool {
	seen := make([]bool, len(b.model.Layers))
	stack := []*ir.Layer{layer}
	for len(stack) > 0 {
		layer, stack = stack[len(stack)-1], stack[:len(stack)-1]
		if seen[layer.Index] {
			continue
		}
		seen[layer.Index] = true
		for i := range layer.Inputs {
			if is(&layer.Inputs[i]) {
				return true
			}
			stack = append(stack, layer.Inputs[i].Source)
		}
	}
	return false
}

// InsertAfter inserts layers between s and all inputs that read it: insert adds them, and returns
// the output that these inputs read from then on. The names of the tensor s become names of that
// output, unless s is an input of the model. InsertAfter returns the same output.
func (b *Builder) InsertAfter(s Source, insert func(Source) Source) Source {
	if !b.valid(s) {
		return Source{}
	}
	readers := slices.Clone(b.editor.Readers(s))
	to := insert(s)
	if !b.valid(to) || to == s {
		return to
	}
	if b.dependsOn(to.Layer, func(in *ir.Input) bool { return slices.Contains(readers, in) }) {
		b.failAt(to.Layer, "it cannot be inserted after %v: it depends on a layer that reads it", s.Layer)
		return Source{}
	}
	b.changed(s, to)
	for _, in := range readers {
		if SourceOf(*in) == s { // insert has not changed it
			b.editor.Connect(in, to)
		}
	}
	b.moveNames(s, to)
	return to
}

// Connect makes input i of a layer read s. An output of the model then has the names of s.
func (b *Builder) Connect(layer *ir.Layer, i int, s Source) {
	switch {
	case !b.valid(s):
	case layer == nil || !holds(b.model, layer) || b.removed[layer]:
		b.failf("the layer to connect is not in the model")
	case i < 0 || i >= len(layer.Inputs):
		b.failAt(layer, "it has no input %d, it has %d", i, len(layer.Inputs))
	case s.Layer == layer || b.dependsOn(s.Layer, func(in *ir.Input) bool { return in.Source == layer }):
		b.failAt(layer, "input %d cannot read %v, which depends on the layer", i, s.Layer)
	default:
		b.changed(SourceOf(layer.Inputs[i]), s)
		b.editor.Connect(&layer.Inputs[i], s)
	}
}

// changed notes that readers of from read to instead.
func (b *Builder) changed(from, to Source) {
	b.added = false // a value that is known now may tell more about shapes
	old, fact := b.facts[from.Layer.Index], b.facts[to.Layer.Index]
	if b.stale || len(old) <= from.Output || len(fact) <= to.Output {
		b.stale = true
		return
	}
	f, t := &old[from.Output], &fact[to.Output]
	b.stale = f.Type != t.Type || !f.Shape.Equal(t.Shape) || f.Tensor != nil || f.Values != nil
}

// Remove removes a layer. What reads its only output reads its first input instead, and the names
// of the tensor become names of that input. A Result and a layer that nothing reads are just
// removed. It is an error if the layer has readers and several outputs or no inputs.
func (b *Builder) Remove(layer *ir.Layer) {
	if b.err != nil {
		return
	}
	if layer == nil || !holds(b.model, layer) || b.removed[layer] {
		b.failf("the layer to remove is not in the model")
		return
	}
	readers := 0
	for i := range layer.Outputs {
		readers += b.editor.ReaderCount(Source{layer, i})
	}
	if readers > 0 {
		if len(layer.Outputs) > 1 || len(layer.Inputs) == 0 {
			b.failAt(layer, "it cannot be removed: it has %d outputs and %d inputs, and %d inputs of other layers read it", len(layer.Outputs), len(layer.Inputs), readers)
			return
		}
		from, to := First(layer), SourceOf(layer.Inputs[0])
		b.changed(from, to)
		b.editor.Replace(from, to)
		b.moveNames(from, to)
	}
	b.editor.Forget(layer)
	for i := range layer.Outputs {
		b.setNames(Source{layer, i}, nil)
	}
	b.names[layer.Name]--
	b.removed[layer] = true
}

// SetInput gives a Parameter another type and shape. Unlike reshape.Inputs, it does not relax
// constants that fix the old shape: layers that do not fit the new one are errors of Model.
func (b *Builder) SetInput(p Source, t ir.ElementType, shape ir.PartialShape) {
	if !b.valid(p) {
		return
	}
	if p.Layer.Type != "Parameter" {
		b.failAt(p.Layer, "it is no Parameter")
		return
	}
	for _, a := range parameterData(t, shape) {
		p.Layer.SetAttribute(a.Name, a.Value)
	}
	b.stale = true
}
