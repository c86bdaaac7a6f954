package weights

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/passes/rewrite"
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
		return e.numberedWeights(fq, w)
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

// numberedWeights matches weights that are numbers of levels, which a FakeQuantize turns into low +
// n*step. Networks of 2020 have them. They become a constant of n - zero, where zero is the level
// of 0.
func (e *Editor) numberedWeights(fq *ir.Layer, w *Bytes) bool {
	at := ir.AttributesOf(fq)
	levels := at.Int("levels", 0)
	from, ok := bytesOf(fq.Inputs[0])
	if !ok || at.Err() != nil || levels < 2 || levels > 256 || len(fq.Inputs) != 5 || !rewrite.IsNumpy(fq) {
		return false
	}
	t := from.Source.Constant
	first, okFirst := e.Scalar(fq.Inputs[1], fq.Inputs[0])
	last, okLast := e.Scalar(fq.Inputs[2], fq.Inputs[0])
	// The numbers are the levels: nothing is rounded.
	if t.ElementType() != ir.U8 || !okFirst || !okLast || first != 0 || last != float64(levels-1) {
		return false
	}
	low, high := e.Known(fq.Inputs[3]), e.Known(fq.Inputs[4])
	if low == nil || high == nil || !slices.Equal(low.Shape(), high.Shape()) || len(low.Shape()) > len(t.Shape()) {
		return false
	}
	lows, highs := rewrite.FloatsOf(low), rewrite.FloatsOf(high)
	if len(lows) == 0 || len(lows) != len(highs) {
		return false
	}
	w.Scale, w.ScaleShape = make([]float64, len(lows)), low.Shape()
	zero := math.Round(-lows[0] / (highs[0] - lows[0]) * float64(levels-1))
	for i := range lows {
		w.Scale[i] = (highs[i] - lows[i]) / float64(levels-1)
		if !(math.Abs(lows[i]+zero*w.Scale[i]) <= 1e-4*w.Scale[i]) { // NaN too
			return false
		}
	}
	if zero < float64(levels-1)-127 || zero > 128 {
		return false // n - zero does not fit an i8
	}
	w.Shape = t.Shape()
	bytes, err := ir.NewTensor(ir.I8, w.Shape...)
	if err != nil {
		return false
	}
	w.data = ir.Data[int8](bytes)
	for i, n := range ir.Data[uint8](t) {
		w.data[i] = int8(min(int(n), int(levels-1)) - int(zero))
	}
	w.Input, w.Numbered = e.AddConstant(fq, bytes), true
	return true
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
	// elements of scale from one index of an axis to the next
	steps, n := make([]int, len(w.Shape)), 1
	for axis := len(w.Shape) - 1; axis >= pad; axis-- {
		length := w.ScaleShape[axis-pad]
		if length == 1 {
			continue
		}
		if !slices.Contains(axes, axis) || length != w.Shape[axis] {
			return false
		}
		steps[axis] = n
		n *= length
	}
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
