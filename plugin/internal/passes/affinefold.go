package passes

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// linear says which axes of the weights, input 1, stand for the channels of the output
// and of the input of a layer type, whose own are axis 1, of MatMul the last.
type linear struct {
	layerType string
	groups    bool  // axis 0 and the next of the weights are both of a group
	out, in   int64 // axes of the weights; MatMul is told apart
}

var linears = []linear{
	{"Convolution", false, 0, 1},
	{"GroupConvolution", true, 1, 2},
	{"ConvolutionBackpropData", false, 1, 0},
	{"GroupConvolutionBackpropData", true, 2, 1},
	{"MatMul", false, 1, 0},
}

// weightsOf returns the linear layer that in reads if its weights are constant, which
// only it reads, and if nothing else reads its output.
func (e *editor) weightsOf(in ir.Input) (*ir.Layer, *linear) {
	for i := range linears {
		l := &linears[i]
		layer := of(in, l.layerType)
		if layer == nil || len(layer.Inputs) < 2 || !e.only(layer) {
			continue
		}
		if e.isFloat32(layer.Inputs[1]) && layer.Inputs[1].Source.Constant != nil && l.fits(e, layer) {
			return layer, l
		}
	}
	return nil, nil
}

// fits reports whether a MatMul is one of vectors, or of weights in batches.
func (l *linear) fits(e *editor, layer *ir.Layer) bool {
	if l.layerType != "MatMul" {
		return true
	}
	return e.hasRank(layer.Inputs[0], 2) && len(layer.Inputs[1].Source.Constant.Shape()) == 2
}

// scales returns the shape by which a constant of one number for each channel of the
// layer multiplies the weights; nil where the numbers are not as many.
func (l *linear) scales(layer *ir.Layer, n int, output bool) ir.Shape {
	weights := layer.Inputs[1].Source.Constant.Shape()
	axis := l.in
	if output {
		axis = l.out
	}
	if l.layerType == "MatMul" && ir.AttributesOf(layer).Bool("transpose_b", false) {
		axis = 1 - axis
	}
	shape := channelShape(len(weights), int(axis), weights[axis])
	if l.groups {
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

// channelsOf returns the elements of the constant that in reads, one for each channel
// of x and so read along axis, or one for all; nil of another.
func (e *editor) channelsOf(in, x ir.Input, matMul bool) []float64 {
	t, shape := e.small(in), e.fact(x).Shape
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
	return floatsOf(t)
}

// foldScale leaves x*c, or (x+b)*c, to the weights of the layer that computes x, and
// returns the output that stands for the product. at is the layer that new ones go in
// front of.
func (e *editor) foldScale(multiply, at *ir.Layer) (to edit.Source, ok bool) {
	for i := range 2 {
		x, c := multiply.Inputs[i], multiply.Inputs[1-i]
		var bias *ir.Input
		if sum := of(x, "Add"); sum != nil && e.only(sum) {
			for k := range 2 {
				if sum.Inputs[1-k].Source.Constant != nil {
					bias, x = &sum.Inputs[1-k], sum.Inputs[k]
					break
				}
			}
		}
		layer, l := e.weightsOf(x)
		if layer == nil {
			continue
		}
		scale := e.channelsOf(c, x, l.layerType == "MatMul")
		if scale == nil {
			continue
		}
		var shift *ir.Tensor
		if bias != nil {
			if e.channelsOf(*bias, x, l.layerType == "MatMul") == nil {
				continue
			}
			if shift = e.product(at, e.value(*bias), e.value(c)); shift == nil {
				continue
			}
		}
		scaled := e.scaledWeights(layer, at, l, scale, true)
		if scaled == nil {
			continue
		}
		to = edit.First(scaled)
		e.facts[scaled] = e.fact(x)
		if shift != nil {
			add := e.insert(at, "Add", "opset1", nil, ir.Input{Source: scaled}, e.constant(at, shift))
			to.Layer = add
		}
		return to, true
	}
	return e.mergeScales(multiply, at)
}

// foldInput leaves a multiplication of the input of a linear layer to the weights.
func (e *editor) foldInput(layer *ir.Layer) {
	product := of(layer.Inputs[0], "Multiply")
	if product == nil || !e.only(product) || len(layer.Outputs) > 1 {
		return
	}
	for i := range linears {
		l := &linears[i]
		if layer.Type != l.layerType || len(layer.Inputs) < 2 || layer.Inputs[1].Source.Constant == nil || !e.isFloat32(layer.Inputs[1]) || !l.fits(e, layer) {
			continue
		}
		if l.layerType == "MatMul" && ir.AttributesOf(layer).Bool("transpose_a", false) {
			return
		}
		for k := range 2 {
			scale := e.channelsOf(product.Inputs[1-k], product.Inputs[k], l.layerType == "MatMul")
			if scale == nil || len(scale) > 1 && !e.hasChannels(product.Inputs[k], len(scale), l.layerType == "MatMul") {
				continue
			}
			if scaled := e.scaledWeights(layer, layer, l, scale, false); scaled != nil {
				e.Connect(&scaled.Inputs[0], edit.SourceOf(product.Inputs[k]))
				e.replace(layer, edit.First(scaled))
			}
			return
		}
	}
}

// hasChannels reports whether x is known to have n channels: one alone becomes as many
// as the constant has that it is multiplied by.
func (e *editor) hasChannels(x ir.Input, n int, matMul bool) bool {
	shape, axis := e.fact(x).Shape, 1
	if matMul {
		axis = shape.Rank() - 1
	}
	return axis >= 0 && axis < shape.Rank() && shape.At(axis) == ir.Dim(int64(n))
}

// scaledWeights returns a copy of layer, in front of the layer at, whose weights are
// multiplied by the numbers for each channel of its output or input; nil where that
// cannot be.
func (e *editor) scaledWeights(layer, at *ir.Layer, l *linear, scale []float64, output bool) *ir.Layer {
	shape := l.scales(layer, len(scale), output)
	if shape == nil {
		return nil
	}
	narrow := make([]float32, len(scale))
	for i, v := range scale {
		narrow[i] = float32(v)
	}
	factor, err := ir.TensorOf(ir.F32, shape, narrow)
	if err != nil {
		return nil
	}
	weights := e.product(at, layer.Inputs[1].Source.Constant, factor)
	if weights == nil {
		return nil
	}
	inputs := append([]ir.Input{layer.Inputs[0], e.constant(at, weights)}, layer.Inputs[2:]...)
	return e.insert(layer, layer.Type, layer.Opset, layer.Data, inputs...)
}

// product returns the product of two constants; nil where it is not computed.
func (e *editor) product(at *ir.Layer, a, b *ir.Tensor) *ir.Tensor {
	return e.compute(at, "Multiply", a, b)
}

// compute returns what a layer type makes of two constants; nil where it is not computed.
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
