package passes

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// FoldAffine leaves multiplications by a constant for each channel to the weights of the
// convolution or product of matrices beside them:
//
//	conv(x, w) * c = conv(x, w*c), conv(x*c, w) = conv(x, w*c)
//	(conv(x, w) + b) * c = conv(x, w*c) + b*c
//	(x*a + b)*c + d = x*(a*c) + (b*c+d)
//
// and makes a BatchNormInference a multiplication and an addition, and the subtraction
// of a constant an addition, which kernels do on the way. Padding is zeros, before a
// multiplication as after it.
var FoldAffine = Pass{"FoldAffine", foldAffine}

func foldAffine(g *Graph) bool {
	if !g.has("Add", "BatchNormInference", "Multiply", "Subtract") || !g.canInsert("Add", "opset1") || !g.canInsert("Multiply", "opset1") {
		return false
	}
	e := newEditor(g)
	for _, layer := range g.Model.Order {
		if len(layer.Inputs) == 0 || !e.isFloat32(ir.Input{Source: layer}) || !isNumpy(layer) {
			continue
		}
		switch layer.Type {
		case "BatchNormInference":
			e.splitBatchNorm(layer)
		case "Multiply":
			if to, ok := e.foldScale(layer, layer); ok {
				e.replace(layer, to)
			}
		case "Add":
			if to, ok := e.mergeShifts(layer, layer); ok {
				e.replace(layer, to)
			}
		case "Subtract":
			e.addNegative(layer)
		default:
			e.foldInput(layer)
		}
	}
	return e.done()
}

// splitBatchNorm replaces a BatchNormInference of constants:
//
//	(x - mean) / Sqrt(variance + epsilon) * gamma + beta
func (e *editor) splitBatchNorm(layer *ir.Layer) {
	if len(layer.Inputs) != 5 {
		return
	}
	order := []int{1, 2, 0, 3, 4} // of gamma, beta, data, mean, variance
	if layer.Opset == "opset1" || layer.Opset == "opset2" || layer.Opset == "opset3" || layer.Opset == "opset4" {
		order = []int{0, 1, 2, 3, 4}
	}
	var of [5][]float64
	for i, at := range order {
		if i == 2 {
			continue
		}
		t := e.value(layer.Inputs[at])
		if t == nil || t.ElementType() != ir.F32 || len(t.Shape()) != 1 {
			return
		}
		of[i] = floatsOf(t)
	}
	data := layer.Inputs[order[2]]
	shape := e.fact(data).Shape
	if shape.Rank() < 2 || shape.At(1) != ir.Dim(int64(len(of[0]))) {
		return // one channel would become as many
	}
	epsilon := ir.AttributesOf(layer).Float("epsilon", 0)
	scale, shift := make([]float64, len(of[0])), make([]float64, len(of[0]))
	for i := range scale {
		if i >= len(of[1]) || i >= len(of[3]) || i >= len(of[4]) {
			return
		}
		scale[i] = of[0][i] / math.Sqrt(of[4][i]+epsilon)
		shift[i] = of[1][i] - of[3][i]*scale[i]
	}
	e.Forget(layer)
	channels := channelShape(shape.Rank(), 1, len(scale))
	multiply := e.insert(layer, "Multiply", "opset1", nil, data, e.floats(layer, channels, scale))
	e.facts[multiply] = e.fact(ir.Input{Source: layer})
	scaled := edit.First(multiply)
	if to, ok := e.foldScale(multiply, layer); ok {
		scaled = to
	}
	add := e.insert(layer, "Add", "opset1", nil, scaled.Input(), e.floats(layer, channels, shift))
	shifted := edit.First(add)
	if to, ok := e.mergeShifts(add, layer); ok {
		shifted = to
	}
	e.replace(layer, shifted)
}

// channelShape returns a shape of ones but for one axis.
func channelShape(rank, axis, n int) ir.Shape {
	shape := make(ir.Shape, rank)
	for i := range shape {
		shape[i] = 1
	}
	shape[axis] = n
	return shape
}

// floats adds a constant of float32.
func (e *editor) floats(at *ir.Layer, shape ir.Shape, values []float64) ir.Input {
	narrow := make([]float32, len(values))
	for i, v := range values {
		narrow[i] = float32(v)
	}
	t, err := ir.TensorOf(ir.F32, shape, narrow)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return e.constant(at, t)
}

// addNegative replaces x - c.
func (e *editor) addNegative(layer *ir.Layer) {
	t := e.small(layer.Inputs[1])
	if t == nil {
		return
	}
	values := floatsOf(t)
	for i := range values {
		values[i] = -values[i]
	}
	add := e.insert(layer, "Add", "opset1", nil, layer.Inputs[0], e.floats(layer, t.Shape(), values))
	e.replace(layer, edit.First(add))
}

// maxSmall bounds the elements of constants that are made anew: those for each
// channel are few.
const maxSmall = 1 << 16

// small returns the constant of float32 that in reads where it is worth to be made anew;
// nil otherwise.
func (e *editor) small(in ir.Input) *ir.Tensor {
	t := e.value(in)
	if t == nil || t.ElementType() != ir.F32 || t.Len() > maxSmall {
		return nil
	}
	return t
}
