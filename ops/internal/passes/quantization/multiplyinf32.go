package quantization

import (
	"slices"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// MultiplyInF32 computes products of integers of up to 8 bits in f32 if they are converted to it
// anyway:
//
//	Convert(MatMul(Convert(a) - zero, Convert(weights))) = MatMul(Convert(a) - zero, Convert(weights) * 1)
//
// and Convolution and GroupConvolution likewise, where the conversions on the left are to i32. Such
// products are those of models whose activations are quantized when they run, MatMulInteger and
// ConvInteger of ONNX. In f32 there are faster kernels, which also read weights as they are stored:
// KeepCompressed looks for the factor.
//
// Sums up to 1<<24 are exact; larger ones are rounded more than once.
func MultiplyInF32(g *ops.Graph) bool {
	if !g.Has("Convert") || !g.Has("MatMul", "Convolution", "GroupConvolution") {
		return false
	}
	e := &integerEditor{rewrite.NewEditor(g)}
	for _, convert := range g.Model.Order {
		if convert.Type != "Convert" || !e.IsFloat32(ir.Input{Source: convert}) || e.Fact(convert.Inputs[0]).Type != ir.I32 {
			continue
		}
		product := rewrite.Producer(convert.Inputs[0], "MatMul", "Convolution", "GroupConvolution")
		if product == nil || !e.HasOneReader(product) || !e.fits(product) || !e.isBytes(product.Inputs[0], maxSteps) || !e.isBytes(product.Inputs[1], maxSteps) {
			continue
		}
		data, weights := e.inF32(product, product.Inputs[0]), e.inF32(product, product.Inputs[1])
		if product.Type == "MatMul" && e.IsConstant(weights.Source, maxSteps) {
			one := e.AddFloats(product, ir.Shape{}, []float64{1})
			weights = ir.Input{Source: e.AddLayer(product, "Multiply", "opset1", nil, weights, one)}
		}
		e.ReplaceLayer(convert, edit.First(e.AddLayer(product, product.Type, product.Opset, product.Data, data, weights)))
	}
	return e.Done()
}

// integerEditor is an editor that knows the operands of products of integers.
type integerEditor struct{ *rewrite.Editor }

// maxSteps is the largest number of layers from an operand to the conversion of 8 bits.
const maxSteps = 4

// maxSum is the largest number of products of two differences of 8 bits whose sum fits i32, so that
// it does not wrap.
const maxSum = 1<<31/(255*255) - 1

// fits reports whether no sum of products is too large for i32.
func (e *integerEditor) fits(product *ir.Layer) bool {
	shape := e.Lengths(product.Inputs[1])
	if product.Type == "MatMul" {
		at := ir.AttributesOf(product)
		return len(shape) >= 2 && !at.Bool("transpose_b", false) && shape[len(shape)-2] <= maxSum && at.Err() == nil
	}
	return len(shape) > 2 && shape[0] > 0 && shape.Elements()/shape[0] <= maxSum
}

// isBytes reports whether integers are conversions of 8 bits or fewer, or the differences of two
// such, perhaps in another shape. It looks at a number of layers.
func (e *integerEditor) isBytes(in ir.Input, steps int) bool {
	layer := rewrite.Producer(in, "Convert", "Subtract", "Reshape", "Unsqueeze")
	switch {
	case layer == nil || steps == 0:
		return false
	case layer.Type == "Convert":
		return isLevel(e.Fact(layer.Inputs[0]).Type)
	case layer.Type == "Subtract":
		return e.isConversion(layer.Inputs[0]) && e.isConversion(layer.Inputs[1])
	}
	return e.isBytes(layer.Inputs[0], steps-1)
}

// isConversion reports whether integers are conversions of 8 bits or fewer, perhaps in another
// shape.
func (e *integerEditor) isConversion(in ir.Input) bool {
	if layer := rewrite.Producer(in, "Reshape", "Unsqueeze"); layer != nil {
		in = layer.Inputs[0]
	}
	convert := rewrite.Producer(in, "Convert")
	return convert != nil && isLevel(e.Fact(convert.Inputs[0]).Type)
}

// inF32 returns integers, of which isBytes is true, in f32. A zero point of 0 is left out.
func (e *integerEditor) inF32(at *ir.Layer, in ir.Input) ir.Input {
	layer := in.Source
	inputs := slices.Clone(layer.Inputs)
	switch layer.Type {
	case "Convert":
		return ir.Input{Source: e.AddConvert(at, layer.Inputs[0], ir.F32)}
	case "Subtract":
		if e.isZero(layer.Inputs[1]) && e.Fact(layer.Inputs[0]).Shape.Equal(e.Fact(in).Shape) {
			return e.inF32(at, layer.Inputs[0])
		}
		inputs[1] = e.inF32(at, layer.Inputs[1])
	}
	inputs[0] = e.inF32(at, layer.Inputs[0])
	return ir.Input{Source: e.AddLayer(at, layer.Type, layer.Opset, layer.Data, inputs...)}
}

// isZero reports whether in is a constant of zeros.
func (e *integerEditor) isZero(in ir.Input) bool {
	t := e.Known(in)
	if t == nil {
		return false
	}
	value := t.Values()
	for i := range t.Len() {
		if value(i) != 0 {
			return false
		}
	}
	return true
}
