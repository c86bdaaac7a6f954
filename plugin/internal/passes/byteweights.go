package passes

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// byteWeights are constant weights of i8 that are multiplied by a scale.
type byteWeights struct {
	input      ir.Input
	reshaped   *ir.Tensor // takes the place of input if it is not nil
	numbered   bool       // a FakeQuantize returns the weights; input is new
	shape      ir.Shape
	data       []int8
	scale      []float64
	scaleShape ir.Shape

	outputs, stride int // number of outputs, and elements from one to the next
	depth, step     int // the same for the elements of an output
}

// byteWeights matches Multiply(Convert(weights), scale), and weights that a FakeQuantize scales. A zero point that only
// rounding made different from 0 may be subtracted from the weights. A Reshape may follow that divides the outputs into
// groups.
func (e *editor) byteWeights(in ir.Input, w *byteWeights) bool {
	if reshape := producer(in, "Reshape"); reshape != nil {
		shape := e.lengths(in)
		return shape != nil && e.scaledBytes(reshape.Inputs[0], w) && w.reshape(shape)
	}
	return e.scaledBytes(in, w)
}

// scaledBytes is byteWeights without a Reshape.
func (e *editor) scaledBytes(in ir.Input, w *byteWeights) bool {
	if fq := producer(in, "FakeQuantize"); fq != nil && e.isFloat32(in) {
		return e.numberedWeights(fq, w)
	}
	multiply := producer(in, "Multiply")
	if multiply == nil || !e.isFloat32(in) {
		return false
	}
	for i := range 2 {
		from := multiply.Inputs[i]
		if subtract := producer(from, "Subtract"); subtract != nil && e.isNearZero(subtract.Inputs[1]) {
			from = subtract.Inputs[0]
		}
		bytes, ok := bytesOf(from)
		scale := e.known(multiply.Inputs[1-i])
		if !ok || scale == nil {
			continue
		}
		t := bytes.Source.Constant
		if t.ElementType() != ir.I8 || len(scale.Shape()) > len(t.Shape()) {
			continue
		}
		w.input, w.shape, w.data = bytes, t.Shape(), ir.Data[int8](t)
		w.scale, w.scaleShape = floatsOf(scale), scale.Shape()
		return w.scale != nil
	}
	return false
}

// reshape gives the weights another shape, whose first axes are axis 0. It returns false if the scale differs along another axis.
func (w *byteWeights) reshape(shape ir.Shape) bool {
	lead := 0
	for n := 1; lead < len(shape) && (lead == 0 || n < w.shape[0]); lead++ {
		n *= shape[lead]
	}
	pad := len(w.shape) - len(w.scaleShape)
	if len(w.shape) == 0 || shape[:lead].Elements() != w.shape[0] || len(w.scale) > 1 && (pad > 0 || len(w.scale) != w.shape[0] || w.scaleShape[0] != w.shape[0]) {
		return false
	}
	t, err := ir.TensorOf(ir.I8, shape, w.data)
	if err != nil {
		return false
	}
	w.reshaped, w.shape, w.scaleShape = t, shape, ir.Shape{}
	if len(w.scale) > 1 {
		w.scaleShape = append(slices.Clone(shape[:lead]), slices.Repeat(ir.Shape{1}, len(shape)-lead)...)
	}
	return true
}

// bytesOf returns the constant that in converts, perhaps in several steps.
func bytesOf(in ir.Input) (constant ir.Input, ok bool) {
	convert := producer(in, "Convert")
	for convert != nil && convert.Inputs[0].Source.Type == "Convert" {
		convert = convert.Inputs[0].Source
	}
	if convert == nil || convert.Inputs[0].Source.Constant == nil {
		return in, false
	}
	return convert.Inputs[0], true
}

// numberedWeights matches weights that are numbers of levels, which a FakeQuantize turns into low + n*step. Networks of 2020
// have them. They become a constant of n - zero, where zero is the level of 0.
func (e *editor) numberedWeights(fq *ir.Layer, w *byteWeights) bool {
	at := ir.AttributesOf(fq)
	levels := at.Int("levels", 0)
	from, ok := bytesOf(fq.Inputs[0])
	if !ok || at.Err() != nil || levels < 2 || levels > 256 || len(fq.Inputs) != 5 || !isNumpy(fq) {
		return false
	}
	t := from.Source.Constant
	first, okFirst := e.scalar(fq.Inputs[1], fq.Inputs[0])
	last, okLast := e.scalar(fq.Inputs[2], fq.Inputs[0])
	// The numbers are the levels: nothing is rounded.
	if t.ElementType() != ir.U8 || !okFirst || !okLast || first != 0 || last != float64(levels-1) {
		return false
	}
	low, high := e.known(fq.Inputs[3]), e.known(fq.Inputs[4])
	if low == nil || high == nil || !slices.Equal(low.Shape(), high.Shape()) || len(low.Shape()) > len(t.Shape()) {
		return false
	}
	lows, highs := floatsOf(low), floatsOf(high)
	if len(lows) == 0 || len(lows) != len(highs) {
		return false
	}
	w.scale, w.scaleShape = make([]float64, len(lows)), low.Shape()
	zero := math.Round(-lows[0] / (highs[0] - lows[0]) * float64(levels-1))
	for i := range lows {
		w.scale[i] = (highs[i] - lows[i]) / float64(levels-1)
		if !(math.Abs(lows[i]+zero*w.scale[i]) <= 1e-4*w.scale[i]) { // NaN too
			return false
		}
	}
	if zero < float64(levels-1)-127 || zero > 128 {
		return false // n - zero does not fit an i8
	}
	w.shape = t.Shape()
	bytes, err := ir.NewTensor(ir.I8, w.shape...)
	if err != nil {
		return false
	}
	w.data = ir.Data[int8](bytes)
	for i, n := range ir.Data[uint8](t) {
		w.data[i] = int8(min(int(n), int(levels-1)) - int(zero))
	}
	w.input, w.numbered = e.constant(fq, bytes), true
	return true
}

// known is value, also of the conversion of a constant that inference does not follow, since it is large.
func (e *editor) known(in ir.Input) *ir.Tensor {
	if t := e.value(in); t != nil {
		return t
	}
	convert := producer(in, "Convert")
	if convert == nil || convert.Inputs[0].Source.Constant == nil {
		return nil
	}
	tensors, err := e.Evaluate(convert, []ir.Fact{e.fact(convert.Inputs[0])})
	if err != nil {
		return nil
	}
	return tensors[0]
}

// isNearZero reports whether in is a constant whose elements are so small that an f16 has no room for them beside a
// whole number.
func (e *editor) isNearZero(in ir.Input) bool {
	t := e.known(in)
	if t == nil {
		return false
	}
	values := floatsOf(t)
	for _, v := range values {
		if !(math.Abs(v) < 1.0/4096) {
			return false
		}
	}
	return values != nil
}

// scaleOf sets scale to one number for each output. The given axes of the weights, in order, are outputs. It returns false if the
// scale differs along another axis, or if the product would have another shape.
func (w *byteWeights) scaleOf(axes ...int) bool {
	pad := len(w.shape) - len(w.scaleShape)
	steps, n := make([]int, len(w.shape)), 1 // elements of scale from one index of an axis to the next
	for axis := len(w.shape) - 1; axis >= pad; axis-- {
		length := w.scaleShape[axis-pad]
		if length == 1 {
			continue
		}
		if !slices.Contains(axes, axis) || length != w.shape[axis] {
			return false
		}
		steps[axis] = n
		n *= length
	}
	scale := make([]float64, w.outputs)
	for i := range scale {
		at, rest := 0, i
		for _, axis := range slices.Backward(axes) {
			at += rest % w.shape[axis] * steps[axis]
			rest /= w.shape[axis]
		}
		scale[i] = w.scale[at]
	}
	w.scale = scale
	return true
}

// combine returns the scale and the offset of each output of the product.
func (w *byteWeights) combine(q *quantization) (scale, offset []float64) {
	offset = make([]float64, w.outputs)
	for i := range offset {
		channel := i * len(q.low) / w.outputs // of data
		if low := q.low[channel]; low != 0 {
			sum := 0
			for p := range w.depth {
				sum += int(w.data[i*w.stride+p*w.step])
			}
			offset[i] = low * w.scale[i] * float64(sum)
		}
		w.scale[i] *= q.step[channel]
	}
	return w.scale, offset
}
