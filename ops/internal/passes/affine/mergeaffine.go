// Package affine has the pass that merges multiplications and additions of constants per channel.
package affine

import (
	"math"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// MergeAffine removes multiplications by a constant for each channel before and after a convolution
// or MatMul. It multiplies the weights, which are constant, instead:
//
//	conv(x, w) * c = conv(x, w*c), conv(x*c, w) = conv(x, w*c)
//	(conv(x, w) + b) * c = conv(x, w*c) + b*c
//	(x*a + b)*c + d = x*(a*c) + (b*c+d)
//	Quantize(Relu(x*a + b), low, high) = Quantize(x, (low-b)/a, (high-b)/a), if low is not negative
//
// It also replaces a BatchNormInference by a multiplication and an addition, and the subtraction of
// a constant by an addition: kernels can apply an addition to their result. Padding does not change
// this, because it is zeros, and zeros stay zeros in a multiplication.
func MergeAffine(g *ops.Graph) bool {
	if !g.Has("Add", "BatchNormInference", "Multiply", "Subtract") || !g.CanInsert("Add", "opset1") || !g.CanInsert("Multiply", "opset1") {
		return false
	}
	e := &editor{rewrite.NewEditor(g)}
	for _, layer := range g.Model.Order {
		if layer.Type == "Quantize" && layer.Opset == rewrite.Namespace {
			e.mergeLimits(layer)
		}
		if len(layer.Inputs) == 0 || !e.IsFloat32(ir.Input{Source: layer}) || !rewrite.IsNumpy(layer) {
			continue
		}
		switch layer.Type {
		case "BatchNormInference":
			e.splitBatchNorm(layer)
		case "Multiply":
			if to, ok := e.scaleProducer(layer, layer); ok {
				e.ReplaceLayer(layer, to)
			}
		case "Add":
			if to, ok := e.mergeShifts(layer, layer); ok {
				e.ReplaceLayer(layer, to)
			}
		case "Subtract":
			e.addNegative(layer)
		default:
			e.scaleReader(layer)
		}
	}
	return e.Done()
}

// editor is an editor with the patterns of MergeAffine.
type editor struct{ *rewrite.Editor }

// splitBatchNorm replaces a BatchNormInference whose inputs other than x are constant:
//
//	(x - mean) / Sqrt(variance + epsilon) * gamma + beta
func (e *editor) splitBatchNorm(layer *ir.Layer) {
	if len(layer.Inputs) != 5 {
		return
	}
	order := []int{1, 2, 0, 3, 4} // the inputs that gamma, beta, data, mean and variance are
	if op, err := e.Op(layer); err != nil || op.Version < 5 {
		order = []int{0, 1, 2, 3, 4}
	}
	var values [5][]float64
	for i, at := range order {
		if i == 2 {
			continue
		}
		t := e.Value(layer.Inputs[at])
		if t == nil || t.ElementType() != ir.F32 || len(t.Shape()) != 1 {
			return
		}
		values[i] = rewrite.FloatsOf(t)
	}
	data := layer.Inputs[order[2]]
	shape := e.Fact(data).Shape
	if shape.Rank() < 2 || shape.At(1) != ir.Dim(int64(len(values[0]))) {
		return // a product with the constants might have more channels than x
	}
	epsilon := ir.AttributesOf(layer).Float("epsilon", 0)
	scale, shift := make([]float64, len(values[0])), make([]float64, len(values[0]))
	for i := range scale {
		if i >= len(values[1]) || i >= len(values[3]) || i >= len(values[4]) {
			return
		}
		scale[i] = values[0][i] / math.Sqrt(values[4][i]+epsilon)
		shift[i] = values[1][i] - values[3][i]*scale[i]
	}
	e.Forget(layer)
	channels := channelShape(shape.Rank(), 1, len(scale))
	multiply := e.AddLayer(layer, "Multiply", "opset1", nil, data, e.AddFloats(layer, channels, scale))
	e.Facts[multiply] = e.Fact(ir.Input{Source: layer})
	scaled := edit.First(multiply)
	if to, ok := e.scaleProducer(multiply, layer); ok {
		scaled = to
	}
	add := e.AddLayer(layer, "Add", "opset1", nil, scaled.Input(), e.AddFloats(layer, channels, shift))
	shifted := edit.First(add)
	if to, ok := e.mergeShifts(add, layer); ok {
		shifted = to
	}
	e.ReplaceLayer(layer, shifted)
}

// channelShape returns a shape of the given rank. Its length is n on the given axis, else 1.
func channelShape(rank, axis, n int) ir.Shape {
	shape := make(ir.Shape, rank)
	for i := range shape {
		shape[i] = 1
	}
	shape[axis] = n
	return shape
}

// addNegative replaces x - c by x + -c.
func (e *editor) addNegative(layer *ir.Layer) {
	t := e.smallConstant(layer.Inputs[1])
	if t == nil {
		return
	}
	values := rewrite.FloatsOf(t)
	for i := range values {
		values[i] = -values[i]
	}
	add := e.AddLayer(layer, "Add", "opset1", nil, layer.Inputs[0], e.AddFloats(layer, t.Shape(), values))
	e.ReplaceLayer(layer, edit.First(add))
}

// maxSmall is the largest number of elements of a constant that is replaced by another one.
// Constants with an element for each channel are smaller.
const maxSmall = 1 << 16

// smallConstant returns the constant that in reads if it is float32 and has at most maxSmall
// elements; nil otherwise.
func (e *editor) smallConstant(in ir.Input) *ir.Tensor {
	t := e.Value(in)
	if t == nil || t.ElementType() != ir.F32 || t.Len() > maxSmall {
		return nil
	}
	return t
}
