package passes

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// ComputeInF32 computes in f32 what a model has in f16 or bf16, as models whose every tensor
// is f16 do. Kernels are fast in f32, and rounding each layer to f16 loses what rounding at the
// end does not.
//
// The f16 and bf16 tensors and the layers that hand them to each other form regions. A region
// is converted if one of its layers computes with the numbers: data that is only moved stays as
// it is. Convert layers stand at the borders of a region: after inputs and constants of the
// model, before its outputs, and beside layers that do not compute in f32, have bodies or keep
// values in variables.
var ComputeInF32 = Pass{"ComputeInF32", computeInF32}

func computeInF32(g *Graph) bool {
	w := &widening{Graph: g, region: make([]*ir.Layer, len(g.Model.Layers)), computes: map[*ir.Layer]bool{}}
	if !slices.ContainsFunc(g.Model.Order, w.isArithmetic) || !g.canInsert("Convert", "opset1") {
		return false
	}
	for _, layer := range g.Model.Order {
		if w.canWiden(layer) {
			w.join(layer)
		}
	}
	return w.rewrite()
}

// isNarrow reports whether tensors of type t are computed in f32.
func isNarrow(t ir.ElementType) bool { return t == ir.F16 || t == ir.BF16 }

// widening finds the regions of a graph.
type widening struct {
	*Graph
	// region has, by Layer.Index, another layer of the same region, or the layer itself if it
	// stands for the region; nil for layers in no region.
	region []*ir.Layer
	// computes holds the layers that stand for regions that are converted.
	computes map[*ir.Layer]bool
}

// isArithmetic reports whether layer computes with narrow numbers. Layer types that only move
// data take every element type.
func (w *widening) isArithmetic(layer *ir.Layer) bool {
	op, err := w.Op(layer)
	return err == nil && op.Types != nil && w.hasNarrow(layer)
}

func (w *widening) hasNarrow(layer *ir.Layer) bool {
	narrow := func(f ir.Fact) bool { return isNarrow(f.Type) }
	return slices.ContainsFunc(w.Shapes.Outputs(layer), narrow) || slices.ContainsFunc(w.Shapes.Inputs(layer), narrow)
}

// canWiden reports whether layer can be computed with f32 in the place of all narrow types: its
// rule and its kernel accept them, and all else stays as it is.
func (w *widening) canWiden(layer *ir.Layer) bool {
	if !w.hasNarrow(layer) || layer.Constant != nil || len(layer.Bodies) > 0 ||
		slices.Contains(w.Model.Parameters, layer) || slices.Contains(w.Model.Results, layer) {
		return false
	}
	op, err := w.Op(layer)
	if err != nil || op.Traits.Stateful {
		return false
	}
	wide := *layer
	wide.Data = widened(op, layer)
	in := &ops.Inference{Layer: &wide, Inputs: w.Shapes.Inputs(layer), Outputs: make([]ir.Fact, max(len(layer.Outputs), 1))}
	for i := range in.Inputs {
		if isNarrow(in.Inputs[i].Type) {
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
		if isNarrow(want) {
			want = ir.F32
		}
		if want == ir.Dynamic || in.Outputs[i].Type != want {
			return false
		}
	}
	return true
}

// widened returns the attributes of layer with f32 in the place of narrow types.
func widened(op *ops.Op, layer *ir.Layer) []ir.Attribute {
	wide := *layer
	for _, a := range ir.DescribeAttributes(op.Attributes) {
		if a.Kind == "element type" && isNarrow(ir.AttributesOf(layer).ElementType(a.Name, ir.Dynamic)) {
			wide.SetAttribute(a.Name, ir.F32.String())
		}
	}
	return wide.Data
}

// join makes layer part of the regions of the layers before it, which become one.
func (w *widening) join(layer *ir.Layer) {
	w.region[layer.Index] = layer
	w.computes[layer] = w.isArithmetic(layer)
	for _, in := range layer.Inputs {
		other := w.find(in.Source)
		if other == nil || other == layer || !isNarrow(w.Shapes.Outputs(in.Source)[in.SourceIndex].Type) {
			continue
		}
		w.region[other.Index] = layer
		w.computes[layer] = w.computes[layer] || w.computes[other]
	}
}

// find returns the layer that stands for the region of layer; nil if that is in none.
func (w *widening) find(layer *ir.Layer) *ir.Layer {
	for {
		next := w.region[layer.Index]
		if next == nil || next == layer {
			return next
		}
		if after := w.region[next.Index]; after != next {
			w.region[layer.Index] = after // a shorter way for the next one
		}
		layer = next
	}
}

// isWide reports whether layer is in a region that is converted.
func (w *widening) isWide(layer *ir.Layer) bool {
	of := w.find(layer)
	return of != nil && w.computes[of]
}

// rewrite sets the types of the layers in the regions that are converted, and inserts the
// Convert layers at the borders.
func (w *widening) rewrite() bool {
	e := newEditor(w.Graph)
	made := map[edit.Source]edit.Source{}
	for _, layer := range w.Model.Order {
		wide := w.isWide(layer)
		if wide {
			op, err := w.Op(layer)
			if err != nil {
				continue // it was found before
			}
			layer.Data = widened(op, layer)
		}
		for i := range layer.Inputs {
			in := &layer.Inputs[i]
			from := edit.SourceOf(*in)
			t := w.Shapes.Outputs(from.Layer)[from.Output].Type
			if !isNarrow(t) || w.isWide(from.Layer) == wide {
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
	return e.done()
}
