package affine

import (
	"slices"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// linearLayer returns the layer that computes in and how it is linear in its weights. They are nil
// unless the weights are a float32 Constant and in is the only reader of the layer.
func (e *editor) linearLayer(in ir.Input) (*ir.Layer, *ops.Linear) {
	layer := in.Source
	if in.SourceIndex != 0 || !e.HasOneReader(layer) {
		return nil, nil
	}
	l := e.linear(layer)
	if l == nil {
		return nil, nil
	}
	return layer, l
}

// linear returns how layer is linear in its weights, if these are a float32 Constant; nil
// otherwise. A MatMul must multiply matrices, not vectors, by weights without batches.
func (e *editor) linear(layer *ir.Layer) *ops.Linear {
	l := e.Traits(layer).Linear
	if l == nil {
		return nil
	}
	weights := layer.Inputs[l.Weights]
	if weights.Source.Constant == nil || !e.IsFloat32(weights) || l.Matrix && (!e.HasRank(layer.Inputs[0], 2) || len(weights.Source.Constant.Shape()) != 2) {
		return nil
	}
	return l
}

// scaleShape returns the shape that broadcasts n factors to the weights of layer: one factor for
// each channel of the output or, if output is false, of the input; or one factor for all. It
// returns nil if n is neither the number of channels nor 1.
func scaleShape(layer *ir.Layer, l *ops.Linear, n int, output bool) ir.Shape {
	weights := layer.Inputs[l.Weights].Source.Constant.Shape()
	axis := l.In
	if output {
		axis = l.Out
	}
	if l.Matrix && ir.AttributesOf(layer).Bool("transpose_b", false) {
		axis = 1 - axis
	}
	shape := channelShape(len(weights), axis, weights[axis])
	if l.Grouped {
		shape[0] = weights[0]
	}
	switch {
	case n == 1:
		return channelShape(len(weights), 0, 1)
	case n != shape.Elements():
		return nil
	}
	return shape
}

// channelsOf returns the elements of the small constant that in reads if, broadcast to x, it
// differs only along the channels; nil otherwise. The channels of x are on axis 1, or on the last
// axis if matMul is set.
func (e *editor) channelsOf(in, x ir.Input, matMul bool) []float64 {
	t, shape := e.smallConstant(in), e.Fact(x).Shape
	if t == nil || !shape.RankKnown() || len(t.Shape()) > shape.Rank() {
		return nil
	}
	axis := 1
	if matMul {
		axis = shape.Rank() - 1
	}
	axis -= shape.Rank() - len(t.Shape())
	for i, n := range t.Shape() {
		if n != 1 && i != axis {
			return nil
		}
	}
	return rewrite.FloatsOf(t)
}

// scaleProducer multiplies the weights of the layer that computes x, instead of computing x*c or
// (x+b)*c, and returns the output that replaces the product. It adds layers on behalf of layer at.
func (e *editor) scaleProducer(multiply, at *ir.Layer) (to edit.Source, ok bool) {
	for i := range 2 {
		x, c := multiply.Inputs[i], multiply.Inputs[1-i]
		var bias *ir.Input
		if sum := rewrite.Producer(x, "Add"); sum != nil && e.HasOneReader(sum) {
			for k := range 2 {
				if sum.Inputs[1-k].Source.Constant != nil {
					bias, x = &sum.Inputs[1-k], sum.Inputs[k]
					break
				}
			}
		}
		layer, l := e.linearLayer(x)
		if layer == nil {
			continue
		}
		scale := e.channelsOf(c, x, l.Matrix)
		if scale == nil {
			continue
		}
		var shift *ir.Tensor
		if bias != nil {
			if e.channelsOf(*bias, x, l.Matrix) == nil {
				continue
			}
			if shift = e.product(at, e.Value(*bias), e.Value(c)); shift == nil {
				continue
			}
		}
		scaled := e.scaledWeights(layer, at, l, scale, true)
		if scaled == nil {
			continue
		}
		to = edit.First(scaled)
		e.Facts[scaled] = e.Fact(x)
		if shift != nil {
			add := e.AddLayer(at, "Add", "opset1", nil, ir.Input{Source: scaled}, e.AddConstant(at, shift))
			to.Layer = add
		}
		return to, true
	}
	return e.mergeScales(multiply, at)
}

// scaleReader multiplies the weights of a linear layer instead of its input.
func (e *editor) scaleReader(layer *ir.Layer) {
	product := rewrite.Producer(layer.Inputs[0], "Multiply")
	if product == nil || !e.HasOneReader(product) || len(layer.Outputs) > 1 {
		return
	}
	l := e.linear(layer)
	if l == nil || l.Matrix && ir.AttributesOf(layer).Bool("transpose_a", false) {
		return
	}
	for k := range 2 {
		scale := e.knownChannels(product.Inputs[1-k], product.Inputs[k], l.Matrix)
		if scale == nil {
			continue
		}
		if scaled := e.scaledWeights(layer, layer, l, scale, false); scaled != nil {
			e.Connect(&scaled.Inputs[0], edit.SourceOf(product.Inputs[k]))
			e.ReplaceLayer(layer, edit.First(scaled))
		}
		return
	}
}

// hasChannels reports whether x is known to have n channels. If x had one channel, a multiplication
// by n factors would broadcast it to n channels.
func (e *editor) hasChannels(x ir.Input, n int, matMul bool) bool {
	shape, axis := e.Fact(x).Shape, 1
	if matMul {
		axis = shape.Rank() - 1
	}
	return axis >= 0 && axis < shape.Rank() && shape.At(axis) == ir.Dim(int64(n))
}

// knownChannels is channelsOf for a constant of one element, or of one for each channel that x is
// known to have; nil otherwise.
func (e *editor) knownChannels(in, x ir.Input, matMul bool) []float64 {
	values := e.channelsOf(in, x, matMul)
	if len(values) == 0 || len(values) > 1 && !e.hasChannels(x, len(values), matMul) {
		return nil
	}
	return values
}

// scaledWeights adds a copy of layer whose weights are multiplied by a factor for each channel of
// its output or, if output is false, of its input. It returns nil if that is not possible. The new
// weights are added on behalf of layer at.
func (e *editor) scaledWeights(layer, at *ir.Layer, l *ops.Linear, scale []float64, output bool) *ir.Layer {
	shape := scaleShape(layer, l, len(scale), output)
	if shape == nil {
		return nil
	}
	weights := e.product(at, layer.Inputs[l.Weights].Source.Constant, rewrite.FloatTensor(shape, scale))
	if weights == nil {
		return nil
	}
	inputs := slices.Clone(layer.Inputs)
	inputs[l.Weights] = e.AddConstant(at, weights)
	return e.AddLayer(layer, layer.Type, layer.Opset, layer.Data, inputs...)
}

// product returns the product of two constants; nil if it cannot be computed.
func (e *editor) product(at *ir.Layer, a, b *ir.Tensor) *ir.Tensor {
	return e.compute(at, "Multiply", a, b)
}

// compute returns the output of a layer of two constants, which has the type layerType and the name
// of layer at. It returns nil if the layer cannot be computed.
func (e *editor) compute(at *ir.Layer, layerType string, a, b *ir.Tensor) *ir.Tensor {
	fact := func(t *ir.Tensor) ir.Fact {
		return ir.Fact{Type: t.ElementType(), Shape: t.Shape().Partial(), Tensor: t}
	}
	layer := &ir.Layer{ID: at.ID, Name: at.Name, Line: at.Line, Origin: at.Origin, Type: layerType, Opset: "opset1", Outputs: make([]ir.Output, 1)}
	outputs, err := e.Evaluate(layer, []ir.Fact{fact(a), fact(b)})
	if err != nil {
		return nil
	}
	return outputs[0]
}
