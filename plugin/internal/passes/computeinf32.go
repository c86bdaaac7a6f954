package passes

import (
	"slices"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// ComputeInF32 computes layers of f16 and bf16 in f32. Kernels are fast in f32, and a result that
// is rounded once at the end is more precise than one that every layer rounds.
//
// Layers that are connected by f16 and bf16 tensors form a region. A region is converted if one of
// its layers computes with these numbers; if all layers only move data, it stays as it is. Convert
// layers are inserted at the borders of a region: after inputs and constants of the model, before
// its outputs, and next to layers that cannot compute in f32, have bodies, or are Stateful or
// OwnType.
func ComputeInF32(g *ops.Graph) bool {
	n := len(g.Model.Layers)
	w := &widening{
		Graph: g, region: make([]*ir.Layer, n), computes: map[*ir.Layer]bool{}, data: map[*ir.Layer][]ir.Attribute{}, isPort: make([]bool, n),
	}
	if !slices.ContainsFunc(g.Model.Order, w.isArithmetic) || !g.CanInsert("Convert", "opset1") {
		return false
	}
	for _, list := range [][]*ir.Layer{g.Model.Parameters, g.Model.Results} {
		for _, layer := range list {
			w.isPort[layer.Index] = true
		}
	}
	for _, layer := range g.Model.Order {
		if w.canWiden(layer) {
			w.join(layer)
		}
	}
	return w.rewrite()
}

// widening finds the regions of a graph with a union-find structure: each region has a layer that
// represents it.
type widening struct {
	*ops.Graph
	// region holds, by Layer.Index, the next layer on the way to the one that represents the
	// region. That layer is its own entry. The entry of a layer that is in no region is nil.
	region []*ir.Layer
	// computes reports, for layers that represent a region, whether the region is converted.
	computes map[*ir.Layer]bool
	// data has the widened attributes of the layers that canWiden accepts.
	data map[*ir.Layer][]ir.Attribute
	// isPort reports, by Layer.Index, whether a layer is a Parameter or Result.
	isPort []bool
}

// isArithmetic reports whether layer computes with narrow numbers. Layer types that only move data
// accept every element type.
func (w *widening) isArithmetic(layer *ir.Layer) bool {
	op, err := w.Op(layer)
	return err == nil && op.Types != nil && w.hasNarrow(layer)
}

// hasNarrow reports whether layer has a narrow input or output.
func (w *widening) hasNarrow(layer *ir.Layer) bool {
	narrow := func(f ir.Fact) bool { return rewrite.IsNarrow(f.Type) }
	return slices.ContainsFunc(w.Shapes.Outputs(layer), narrow) || slices.ContainsFunc(w.Shapes.Inputs(layer), narrow)
}

// canWiden reports whether layer can be computed with f32 instead of all narrow types: its rule and
// its kernel must accept f32, and the types of other outputs must not change.
func (w *widening) canWiden(layer *ir.Layer) bool {
	if !w.hasNarrow(layer) || layer.Constant != nil || len(layer.Bodies) > 0 || w.isPort[layer.Index] {
		return false
	}
	// Values that are known before the run may decide shapes, which must not change.
	if slices.ContainsFunc(w.Shapes.Outputs(layer), func(f ir.Fact) bool { return f.Tensor != nil || f.Values != nil }) {
		return false
	}
	op, err := w.Op(layer)
	if err != nil || op.Traits.Stateful || op.Traits.OwnType {
		return false
	}
	wide := *layer
	wide.Data = widened(op, layer)
	w.data[layer] = wide.Data
	in := &ops.Inference{Layer: &wide, Inputs: w.Shapes.Inputs(layer), Outputs: make([]ir.Fact, max(len(layer.Outputs), 1))}
	for i := range in.Inputs {
		if rewrite.IsNarrow(in.Inputs[i].Type) {
			in.Inputs[i] = ir.Fact{Type: ir.F32, Shape: in.Inputs[i].Shape}
		}
	}
	if op.Attributes != nil {
		if in.Attributes, err = op.Attributes(ir.AttributesOf(&wide)); err != nil {
			return false
		}
	}
	if op.Rule().Run(in) != nil || op.Computes(in.Inputs, in.Outputs) != nil {
		return false
	}
	for i, before := range w.Shapes.Outputs(layer) {
		want := before.Type
		if rewrite.IsNarrow(want) {
			want = ir.F32
		}
		if want == ir.Dynamic || in.Outputs[i].Type != want {
			return false
		}
	}
	return true
}

// widened returns the attributes of layer with narrow element types replaced by f32.
func widened(op *ops.Op, layer *ir.Layer) []ir.Attribute {
	wide := *layer
	for _, a := range ir.DescribeAttributes(op.Attributes) {
		if a.Kind == "element type" && rewrite.IsNarrow(ir.AttributesOf(layer).ElementType(a.Name, ir.Dynamic)) {
			wide.SetAttribute(a.Name, ir.F32.String())
		}
	}
	return wide.Data
}

// join merges layer and the regions of the layers that it reads narrow tensors from. layer
// represents the region.
func (w *widening) join(layer *ir.Layer) {
	w.region[layer.Index] = layer
	w.computes[layer] = w.isArithmetic(layer)
	for _, in := range layer.Inputs {
		other := w.find(in.Source)
		if other == nil || other == layer || !rewrite.IsNarrow(w.Shapes.Outputs(in.Source)[in.SourceIndex].Type) {
			continue
		}
		w.region[other.Index] = layer
		w.computes[layer] = w.computes[layer] || w.computes[other]
	}
}

// find returns the layer that represents the region of layer; nil if layer is in no region.
func (w *widening) find(layer *ir.Layer) *ir.Layer {
	for {
		next := w.region[layer.Index]
		if next == nil || next == layer {
			return next
		}
		if after := w.region[next.Index]; after != next {
			w.region[layer.Index] = after // shorten the way for later calls
		}
		layer = next
	}
}

// isWide reports whether layer is in a region that is converted.
func (w *widening) isWide(layer *ir.Layer) bool {
	root := w.find(layer)
	return root != nil && w.computes[root]
}

// rewrite replaces narrow types in the attributes of the layers in converted regions, and inserts
// Convert layers at the borders. It reports whether it changed anything.
func (w *widening) rewrite() bool {
	e := rewrite.NewEditor(w.Graph)
	made, changed := map[edit.Source]edit.Source{}, false
	for _, layer := range w.Model.Order {
		wide := w.isWide(layer)
		if wide {
			layer.Data, changed = w.data[layer], true
		}
		for i := range layer.Inputs {
			in := &layer.Inputs[i]
			from := edit.SourceOf(*in)
			t := w.Shapes.Outputs(from.Layer)[from.Output].Type
			if !rewrite.IsNarrow(t) || w.isWide(from.Layer) == wide {
				continue
			}
			to, ok := made[from]
			if !ok {
				if wide {
					t = ir.F32
				}
				to = edit.First(e.Insert(from.Layer, t.String(), "Convert", "opset1", edit.Attributes("destination_type", t.String()), from))
				made[from] = to
			}
			e.Connect(in, to)
		}
	}
	return e.Done() || changed
}
