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
// KeepCompressed looks for the factor. A bias, an Add of i32 before the conversion, is added in
// f32.
//
// Sums up to 1<<24 are exact; larger ones are rounded more than once. Where that is too inaccurate,
// Graph.Accurate, only a product by constant weights whose sums cannot be larger is computed in
// f32, and it is converted back to i32.
func MultiplyInF32(g *ops.Graph) bool {
	if !g.Has("Convert") || !g.Has("MatMul", "Convolution", "GroupConvolution") {
		return false
	}
	e := &integerEditor{rewrite.NewEditor(g)}
	for _, layer := range g.Model.Order {
		if g.Accurate {
			if e.isProduct(layer) && e.isExact(layer) {
				e.ReplaceLayer(layer, edit.First(e.AddConvert(layer, ir.Input{Source: e.product(layer)}, ir.I32)))
			}
			continue
		}
		if layer.Type != "Convert" || !e.IsFloat32(ir.Input{Source: layer}) || e.Fact(layer.Inputs[0]).Type != ir.I32 {
			continue
		}
		if product, bias := e.biased(layer.Inputs[0]); product != nil {
			by := e.product(product)
			for _, in := range bias {
				by = e.AddLayer(product, "Add", "opset1", nil, ir.Input{Source: by}, ir.Input{Source: e.AddConvert(product, in, ir.F32)})
			}
			e.ReplaceLayer(layer, edit.First(by))
		}
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

// biased matches a product of integers of 8 bits, and what is added to it, if something is. Nothing
// else reads them.
func (e *integerEditor) biased(in ir.Input) (product *ir.Layer, bias []ir.Input) {
	sum := rewrite.Producer(in, "Add")
	if sum == nil {
		if e.isProduct(in.Source) && e.HasOneReader(in.Source) {
			return in.Source, nil
		}
		return nil, nil
	}
	if !rewrite.IsNumpy(sum) || !e.HasOneReader(sum) {
		return nil, nil
	}
	for i, in := range sum.Inputs {
		if e.isProduct(in.Source) && e.HasOneReader(in.Source) {
			return in.Source, []ir.Input{sum.Inputs[1-i]}
		}
	}
	return nil, nil
}

// isProduct reports whether a layer is a product of integers of 8 bits whose sums fit i32.
func (e *integerEditor) isProduct(layer *ir.Layer) bool {
	switch layer.Type {
	case "MatMul", "Convolution", "GroupConvolution":
		return e.Fact(ir.Input{Source: layer}).Type == ir.I32 && e.fits(layer) && e.isBytes(layer.Inputs[0], maxSteps) && e.isBytes(layer.Inputs[1], maxSteps)
	}
	return false
}

// product adds the product in f32.
func (e *integerEditor) product(layer *ir.Layer) *ir.Layer {
	data, weights := e.inF32(layer, layer.Inputs[0]), e.inF32(layer, layer.Inputs[1])
	if layer.Type == "MatMul" && e.IsConstant(weights.Source, maxSteps) {
		one := e.AddFloats(layer, ir.Shape{}, []float64{1})
		weights = ir.Input{Source: e.AddLayer(layer, "Multiply", "opset1", nil, weights, one)}
	}
	return e.AddLayer(layer, layer.Type, layer.Opset, layer.Data, data, weights)
}

// isExact reports whether the weights of a product are constants, and no sum of some of its terms
// is above 1<<24: a difference of 8 bits is at most 255.
func (e *integerEditor) isExact(layer *ir.Layer) bool {
	t := e.Computed(layer.Inputs[1], maxSteps)
	if t == nil || t.Len() == 0 {
		return false
	}
	shape, columns := t.Shape(), 1
	depth := t.Len() / shape[0]
	switch layer.Type {
	case "MatMul":
		depth, columns = shape[len(shape)-2], shape[len(shape)-1]
	case "GroupConvolution":
		depth /= shape[1]
	}
	data, sums := ir.Data[int32](t), make([]int64, t.Len()/depth)
	for i := 0; i < len(data); i += columns {
		sum := sums[i/(depth*columns)*columns:][:columns]
		for j, v := range data[i:][:columns] {
			sum[j] += 255 * max(int64(v), -int64(v))
		}
	}
	return slices.Max(sums) <= 1<<24
}

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
