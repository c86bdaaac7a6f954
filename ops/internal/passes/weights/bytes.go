package weights

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
)

// Bytes are constant weights of i8 that are multiplied by a scale.
type Bytes struct {
	Input      ir.Input
	Reshaped   *ir.Tensor // takes the place of input if it is not nil
	Numbered   bool       // a FakeQuantize returns the weights; input is new
	Shape      ir.Shape
	data       []int8
	Scale      []float64
	ScaleShape ir.Shape

	Outputs, Stride int // number of outputs, and elements from one to the next
	Depth, Step     int // the same for the elements of an output
}

// FindBytes matches Multiply(Convert(weights), scale), and weights that a FakeQuantize scales. A
// zero point that only rounding made different from 0 may be subtracted from the weights. A Reshape
// may follow that divides the outputs into groups.
func (e *Editor) FindBytes(in ir.Input, w *Bytes) bool {
	if reshape := rewrite.Producer(in, "Reshape"); reshape != nil {
		shape := e.Lengths(in)
		return shape != nil && e.scaledBytes(reshape.Inputs[0], w) && w.reshape(shape)
	}
	return e.scaledBytes(in, w)
}

// scaledBytes is Bytes without a Reshape.
func (e *Editor) scaledBytes(in ir.Input, w *Bytes) bool {
	if fq := rewrite.Producer(in, "FakeQuantize"); fq != nil && e.IsFloat32(in) {
		return e.levelWeights(fq, w)
	}
	multiply := rewrite.Producer(in, "Multiply")
	if multiply == nil || !e.IsFloat32(in) {
		return false
	}
	for i := range 2 {
		from := multiply.Inputs[i]
		if subtract := rewrite.Producer(from, "Subtract"); subtract != nil && e.isNearZero(subtract.Inputs[1]) {
			from = subtract.Inputs[0]
		}
		bytes, ok := bytesOf(from)
		scale := e.Known(multiply.Inputs[1-i])
		if !ok || scale == nil {
			continue
		}
		t := bytes.Source.Constant
		if t.ElementType() != ir.I8 || len(scale.Shape()) > len(t.Shape()) {
			continue
		}
		w.Input, w.Shape, w.data = bytes, t.Shape(), ir.Data[int8](t)
		w.Scale, w.ScaleShape = rewrite.FloatsOf(scale), scale.Shape()
		return w.Scale != nil
	}
	return false
}

// reshape gives the weights another shape, whose first axes are axis 0. It returns false if the
// scale differs along another axis.
func (w *Bytes) reshape(shape ir.Shape) bool {
	lead := 0
	for n := 1; lead < len(shape) && (lead == 0 || n < w.Shape[0]); lead++ {
		n *= shape[lead]
	}
	pad := len(w.Shape) - len(w.ScaleShape)
	if len(w.Shape) == 0 || shape[:lead].Elements() != w.Shape[0] || len(w.Scale) > 1 && (pad > 0 || len(w.Scale) != w.Shape[0] || w.ScaleShape[0] != w.Shape[0]) {
		return false
	}
	t, err := ir.TensorOf(ir.I8, shape, w.data)
	if err != nil {
		return false
	}
	w.Reshaped, w.Shape, w.ScaleShape = t, shape, ir.Shape{}
	if len(w.Scale) > 1 {
		w.ScaleShape = append(slices.Clone(shape[:lead]), slices.Repeat(ir.Shape{1}, len(shape)-lead)...)
	}
	return true
}

// bytesOf returns the constant that in converts, perhaps in several steps.
func bytesOf(in ir.Input) (constant ir.Input, ok bool) {
	convert := rewrite.Producer(in, "Convert")
	for convert != nil && convert.Inputs[0].Source.Type == "Convert" {
		convert = convert.Inputs[0].Source
	}
	if convert == nil || convert.Inputs[0].Source.Constant == nil {
		return in, false
	}
	return convert.Inputs[0], true
}

// levelWeights matches constant weights that a FakeQuantize turns into low + n*step, where n is the
// number of a level: weights of floats, and those that are numbers of levels already, as in
// networks of 2020. They become a constant of n - zero, where zero is the level of 0.
func (e *Editor) levelWeights(fq *ir.Layer, w *Bytes) bool {
	at := ir.AttributesOf(fq)
	levels := at.Int("levels", 0)
	if at.Err() != nil || levels < 2 || levels > 256 || len(fq.Inputs) != 5 || !rewrite.IsNumpy(fq) {
		return false
	}
	low, high := e.Known(fq.Inputs[3]), e.Known(fq.Inputs[4])
	if low == nil || high == nil || !slices.Equal(low.Shape(), high.Shape()) {
		return false
	}
	values := e.weightsOf(fq)
	if values == nil || len(low.Shape()) > len(values.Shape()) {
		return false
	}
	lows, highs := rewrite.FloatsOf(low), rewrite.FloatsOf(high)
	if len(lows) == 0 || len(lows) != len(highs) {
		return false
	}
	w.Scale, w.ScaleShape, w.Shape = make([]float64, len(lows)), low.Shape(), values.Shape()
	zeros := make([]float64, len(lows))
	for i := range lows {
		w.Scale[i] = (highs[i] - lows[i]) / float64(levels-1)
		zeros[i] = math.Round(-lows[i] / w.Scale[i])
		if !(math.Abs(lows[i]+zeros[i]*w.Scale[i]) <= 1e-4*math.Abs(w.Scale[i])) { // NaN too
			return false
		}
	}
	bytes, err := ir.NewTensor(ir.I8, w.Shape...)
	if err != nil {
		return false
	}
	w.data = ir.Data[int8](bytes)
	steps := w.scaleSteps()
	for i, v := range ir.Data[float32](values) {
		at := w.scaleAt(i, steps)
		// FakeQuantize has rounded v, which is low + n*step but for the rounding of f32.
		n := math.Round(float64(v)/w.Scale[at] + zeros[at])
		if n -= zeros[at]; !(n >= math.MinInt8 && n <= math.MaxInt8) {
			return false
		}
		w.data[i] = int8(n)
	}
	w.Input, w.Numbered = e.AddConstant(fq, bytes), true
	return true
}

// weightsOf returns the constant weights of f32 that a FakeQuantize computes; nil if they are not
// constant.
func (e *Editor) weightsOf(fq *ir.Layer) *ir.Tensor {
	facts := make([]ir.Fact, len(fq.Inputs))
	for i, in := range fq.Inputs {
		facts[i] = e.Fact(in)
		if facts[i].Tensor = e.Known(in); facts[i].Tensor == nil {
			return nil
		}
	}
	outputs, err := e.Evaluate(fq, facts)
	if err != nil || outputs[0].ElementType() != ir.F32 {
		return nil
	}
	return outputs[0]
}

// scaleSteps returns the number of elements of the scale from one index of each axis of the weights
// to the next. It is 0 along axes that the scale repeats along.
func (w *Bytes) scaleSteps() []int {
	pad, n := len(w.Shape)-len(w.ScaleShape), 1
	steps := make([]int, len(w.Shape))
	for axis := len(w.Shape) - 1; axis >= pad; axis-- {
		if length := w.ScaleShape[axis-pad]; length > 1 {
			steps[axis] = n
			n *= length
		}
	}
	return steps
}

// scaleAt returns the element of the scale for element i of the weights.
func (w *Bytes) scaleAt(i int, steps []int) int {
	at := 0
	for axis := len(steps) - 1; axis >= 0 && i > 0; axis-- {
		at += i % w.Shape[axis] * steps[axis]
		i /= w.Shape[axis]
	}
	return at
}

// isNearZero reports whether in is a constant whose elements are so small that an f16 has no room
// for them beside a whole number.
func (e *Editor) isNearZero(in ir.Input) bool {
	t := e.Known(in)
	if t == nil {
		return false
	}
	values := rewrite.FloatsOf(t)
	for _, v := range values {
		if !(math.Abs(v) < 1.0/4096) {
			return false
		}
	}
	return values != nil
}

// ScaleOf sets scale to one number for each output. The given axes of the weights, in order, are
// outputs. It returns false if the scale differs along another axis, or if the product would have
// another shape.
func (w *Bytes) ScaleOf(axes ...int) bool {
	pad := len(w.Shape) - len(w.ScaleShape)
	for i, length := range w.ScaleShape {
		if length > 1 && (!slices.Contains(axes, pad+i) || length != w.Shape[pad+i]) {
			return false
		}
	}
	steps := w.scaleSteps()
	scale := make([]float64, w.Outputs)
	for i := range scale {
		at, rest := 0, i
		for _, axis := range slices.Backward(axes) {
			at += rest % w.Shape[axis] * steps[axis]
			rest /= w.Shape[axis]
		}
		scale[i] = w.Scale[at]
	}
	w.Scale = scale
	return true
}

// Combine returns the scale and the offset of each output of the product with data whose level n is
// low + n*step, for each channel.
func (w *Bytes) Combine(low, step []float64) (scale, offset []float64) {
	offset = make([]float64, w.Outputs)
	for i := range offset {
		channel := i * len(low) / w.Outputs // of data
		if low := low[channel]; low != 0 {
			sum := 0
			for p := range w.Depth {
				sum += int(w.data[i*w.Stride+p*w.Step])
			}
			offset[i] = low * w.Scale[i] * float64(sum)
		}
		w.Scale[i] *= step[channel]
	}
	return w.Scale, offset
}
