package reshape

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

// relaxer rewrites the patterns of one graph that work only with the input shapes in the file.
// It changes the graph in place, but its decisions depend on the shapes before any change.
type relaxer struct {
	*edit.Editor
	ctx    context.Context
	model  *ir.Model
	rules  infer.Rules
	shapes *infer.Shapes // nil if the graph, a body, was not inferred
	// classes holds, by Layer.Index, the first of the layers that are equal to the layer: see
	// share.
	classes []*ir.Layer
	sunk    map[*ir.Layer][]int64 // new patterns of Reshapes, from sinkReshape
	// undecided has the Reshapes that sinkReshape cannot decide on, because values are missing
	// without the .bin.
	undecided map[*ir.Layer]bool
}

// relax rewrites m and the bodies in it. shapes are those of m before any change.
func relax(ctx context.Context, m *ir.Model, rules infer.Rules, shapes *infer.Shapes) error {
	r := &relaxer{Editor: edit.New(m), ctx: ctx, model: m, rules: rules, shapes: shapes}
	for _, layer := range m.Order {
		for i := range layer.Bodies {
			if err := relax(ctx, layer.Bodies[i].Model, rules, shapes.Body(layer, i)); err != nil {
				return err
			}
		}
	}
	if shapes == nil {
		return nil
	}
	r.each("Reshape", r.reshapeTo1D)
	r.each("Proposal", r.cropScales)
	r.share()
	// Layers that lost their readers must leave the order before readers are counted.
	r.each("StridedSlice", r.squeezeBeforeSlice(r.readers()))
	if err := r.Finish(); err != nil {
		return err
	}
	r.each("Squeeze", r.squeezeBehindSlice(r.readers()))
	r.each("MatMul", r.transposeBeforeMatMul)
	r.each("Broadcast", r.rangeOfConstant)
	r.each("LSTMCell", r.broadcastStates)
	r.each("TensorIterator", r.broadcastStatesOfBody)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := r.Finish(); err != nil {
		return err
	}
	r.eachBackwards("Reshape", r.sinkReshape)
	r.sinkShared()
	if err := r.Finish(); err != nil {
		return err
	}
	readers := r.readers()
	for port := range 2 {
		r.each("MatMul", r.reshapeBeforeMatMul(readers, port))
	}
	return r.Finish()
}

// each calls relax for all layers of a type of OpenVINO's opsets, in order.
func (r *relaxer) each(layerType string, relax func(*ir.Layer)) {
	for _, layer := range r.model.Order {
		if is(layer, layerType, 1) {
			relax(layer)
		}
	}
}

// eachBackwards is each in the order of OpenVINO, which starts at the last Result. It is for
// rewrites whose effect depends on the order of the layers.
func (r *relaxer) eachBackwards(layerType string, relax func(*ir.Layer)) {
	seen := make([]bool, len(r.model.Layers))
	type frame struct {
		layer *ir.Layer
		next  int // number of the layer's next input
	}
	var stack []frame
	for _, roots := range [][]*ir.Layer{r.model.Parameters, r.model.Sinks, r.model.Results} {
		for _, root := range slices.Backward(roots) {
			if seen[root.Index] {
				continue
			}
			seen[root.Index] = true
			stack = append(stack, frame{layer: root})
			for len(stack) > 0 {
				top := &stack[len(stack)-1]
				layer := top.layer
				if top.next < len(layer.Inputs) {
					source := layer.Inputs[top.next].Source
					top.next++
					if !seen[source.Index] {
						seen[source.Index] = true
						stack = append(stack, frame{layer: source})
					}
					continue
				}
				stack = stack[:len(stack)-1]
				if is(layer, layerType, 1) {
					relax(layer)
				}
			}
		}
	}
}

// is reports whether layer has the given type and is of opset number from or later.
func is(layer *ir.Layer, layerType string, from int) bool {
	return strings.EqualFold(layer.Type, layerType) && opsetNumber(layer) >= from
}

// opsetNumber returns 8 for opset8, and 0 for namespaces that are not numbered opsets.
func opsetNumber(layer *ir.Layer) int {
	digits, ok := strings.CutPrefix(layer.Opset, "opset")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil {
		return 0
	}
	return n
}

// fact returns the fact of in before any change.
func (r *relaxer) fact(in ir.Input) ir.Fact {
	if outputs := r.shapes.Outputs(in.Source); in.SourceIndex < len(outputs) {
		return outputs[in.SourceIndex]
	}
	return ir.Fact{Shape: ir.UnknownRank}
}

// shape returns the shape of in before any change.
func (r *relaxer) shape(in ir.Input) ir.PartialShape { return r.fact(in).Shape }

// rankOf returns the rank of layer's first output before any change; -1 if it is unknown.
func (r *relaxer) rankOf(layer *ir.Layer) int { return r.shape(ir.Input{Source: layer}).Rank() }

// source returns the source of input i of layer if it has the given type and is of opset number
// from or later; nil otherwise.
func source(layer *ir.Layer, i int, layerType string, from int) *ir.Layer {
	if i < len(layer.Inputs) && is(layer.Inputs[i].Source, layerType, from) {
		return layer.Inputs[i].Source
	}
	return nil
}

// isConstant reports whether the source of input i of layer is a Constant.
func isConstant(layer *ir.Layer, i int) bool {
	return i < len(layer.Inputs) && layer.Inputs[i].Source.Type == "Constant"
}

// constantInts is constantList for a list with an element for each axis of a tensor.
func constantInts(layer *ir.Layer, i int) ([]int64, bool) { return constantList(layer, i, ir.MaxRank) }

// constantList returns a copy of the elements of input i of layer. It returns false unless the
// source is a Constant of integers or booleans with a known value of at most limit elements.
func constantList(layer *ir.Layer, i, limit int) ([]int64, bool) {
	if !isConstant(layer, i) {
		return nil, false
	}
	t := layer.Inputs[i].Source.Constant
	if t == nil || !t.ElementType().IsIntegral() || t.Len() > limit {
		return nil, false
	}
	ints, err := t.Ints()
	return slices.Clone(ints), err == nil
}

// read sets the source of input i of layer and removes the declared type and dims of the input.
func (r *relaxer) read(layer *ir.Layer, i int, from edit.Source) {
	in := &layer.Inputs[i]
	r.Connect(in, from)
	in.DeclaredType, in.Declared = ir.Dynamic, ir.UnknownRank
}

// lacksValue reports whether the source of input i of layer is a Constant without a value,
// because the model was read without its .bin.
func lacksValue(layer *ir.Layer, i int) bool {
	return isConstant(layer, i) && layer.Inputs[i].Source.Constant == nil
}

// hideLengths makes the lengths of input i of layer unknown, because they depend on a value
// that is missing without the .bin. It inserts a Reshape whose pattern has no value either.
func (r *relaxer) hideLengths(layer *ir.Layer, i, rank int) {
	pattern := r.insert(layer, "unknown/shape", "Constant", "opset1", edit.Attributes("element_type", "i64", "shape", strconv.Itoa(rank)))
	r.read(layer, i, r.insert(layer, "unknown", "Reshape", "opset1", edit.Attributes("special_zero", "false"), edit.SourceOf(layer.Inputs[i]), pattern))
}

// insert adds a layer on behalf of layer, and returns its output.
func (r *relaxer) insert(layer *ir.Layer, part, layerType, opset string, data []ir.Attribute, inputs ...edit.Source) edit.Source {
	return edit.First(r.Insert(layer, part, layerType, opset, data, inputs...))
}

// vector adds a Constant of integers, a vector, on behalf of layer.
func (r *relaxer) vector(layer *ir.Layer, part string, values ...int64) edit.Source {
	return r.Ints(layer, part, ir.I64, ir.Shape{len(values)}, values...)
}

// dim adds layers that compute the length of an axis of from, as a vector of one element.
func (r *relaxer) dim(layer *ir.Layer, part string, from edit.Source, axis int64) edit.Source {
	shape := r.insert(layer, part+"/shape_of", "ShapeOf", "opset3", edit.Attributes("output_type", "i64"), from)
	return r.insert(layer, part, "Gather", "opset8", edit.Attributes("batch_dims", "0"),
		shape, r.vector(layer, part+"/index", axis), r.Ints(layer, part+"/axis", ir.I64, ir.Shape{}, 0))
}

// concat adds a Concat of vectors.
func (r *relaxer) concat(layer *ir.Layer, part string, inputs ...edit.Source) edit.Source {
	return r.insert(layer, part, "Concat", "opset1", edit.Attributes("axis", "0"), inputs...)
}

// readers returns, by Layer.Index, the number of inputs that read the first output of a layer
// or of a layer equal to it. Equal readers count as one. The number is at the first of equal
// layers.
func (r *relaxer) readers() []int {
	n := make([]int, len(r.model.Layers))
	for _, layer := range r.model.Order {
		if r.class(layer) != layer {
			continue
		}
		for _, in := range layer.Inputs {
			if in.SourceIndex == 0 {
				n[r.class(in.Source).Index]++
			}
		}
	}
	return n
}
