package passes

import (
	"math"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// ComputeInIntegers computes products of quantized data and weights of 8 bits in integers:
//
//	MatMul(FakeQuantize(x), Multiply(Convert(weights), scale)) = QuantizedMatMul(Quantize(x), weights, scale', offset')
//
// and Convolution and GroupConvolution likewise. FakeQuantize returns output_low + n*step for a number of a level n, so its
// sum of products is the sum of n*weight, times step and scale, plus the sum of the weights times output_low and scale.
// All limits are scalars; a scale has one element or one for each output channel. The sums of integers are exact, those of
// floats are rounded.
//
// Between the FakeQuantize and the product, there may be layers that select or reorder elements. If the product pads its
// data with zeros, zero must be one of the levels.
//
// The pass does nothing if the processor multiplies floats as fast.
var ComputeInIntegers = Pass{"ComputeInIntegers", computeInIntegers}

func computeInIntegers(g *Graph) bool {
	if !gemm.BytesPay() || !g.has("FakeQuantize") || !g.canInsert("Quantize", own) {
		return false
	}
	products := map[string]string{}
	for from, to := range map[string]string{
		"MatMul": "QuantizedMatMul", "Convolution": "QuantizedConvolution", "GroupConvolution": "QuantizedConvolution",
	} {
		if g.canInsert(to, own) {
			products[from] = to
		}
	}
	e := integerEditor{newEditor(g), map[levelsOf]*ir.Layer{}}
	for _, layer := range g.Model.Order {
		if to := products[layer.Type]; to != "" {
			e.replaceProduct(layer, to)
		}
	}
	return e.done()
}

// integerEditor is an editor that inserts each Quantize once.
type integerEditor struct {
	*editor
	levels map[levelsOf]*ir.Layer
}

// levelsOf are the levels of data, which a Quantize computes.
type levelsOf struct {
	fakeQuantize *ir.Layer
	data         edit.Source
}

// replaceProduct replaces a product by one of a type of integers, if it can.
func (e *integerEditor) replaceProduct(layer *ir.Layer, to string) {
	q, ok := e.quantization(layer.Inputs[0])
	if !ok {
		return
	}
	var w byteWeights
	var data []ir.Attribute
	if layer.Type == "MatMul" {
		data, ok = e.matMul(layer, &w)
	} else {
		data, ok = e.convolution(layer, &w, &q)
	}
	if !ok {
		return
	}
	scale, offset := w.combine(&q)
	shape := ir.Shape{len(scale)}
	product := e.insert(layer, to, own, data,
		ir.Input{Source: e.quantize(&q)}, w.input, e.constant(layer, floatTensor(shape, scale)), e.constant(layer, floatTensor(shape, offset)))
	e.replace(layer, edit.First(product))
}

// quantize returns the Quantize of q.
func (e *integerEditor) quantize(q *quantization) *ir.Layer {
	key := levelsOf{q.layer, edit.SourceOf(q.data)}
	if e.levels[key] == nil {
		e.levels[key] = e.insert(q.layer, "Quantize", own, edit.Attributes("levels", strconv.FormatInt(q.levels, 10)), q.data, q.limits[0], q.limits[1])
	}
	return e.levels[key]
}

// quantization is quantized data: the result of a FakeQuantize with scalar limits.
type quantization struct {
	layer     *ir.Layer
	data      ir.Input // what a Quantize with the limits reads
	limits    []ir.Input
	levels    int64
	low, step float64 // level n is low + n*step
}

// maxMoves is the largest number of layers between a FakeQuantize and a product.
const maxMoves = 8

// quantization matches data that a FakeQuantize of f32 with scalar limits and up to 256 levels returns.
func (e *editor) quantization(in ir.Input) (q quantization, ok bool) {
	q.data = in
	for range maxMoves {
		if q.layer = producer(in, "FakeQuantize"); q.layer != nil {
			break
		}
		moves := producer(in, "MaxPool", "Reshape", "Transpose", "Squeeze", "Unsqueeze")
		if moves == nil {
			break
		}
		in = moves.Inputs[0]
	}
	if q.layer == nil || len(q.layer.Inputs) != 5 || !e.isFloat32(in) {
		return q, false
	}
	at := ir.AttributesOf(q.layer)
	q.levels = at.Int("levels", 0)
	if at.Err() != nil || q.levels < 2 || q.levels > 256 {
		return q, false
	}
	var limits [4]float64
	for i := range limits {
		// The limits do not change the shape of x.
		if limits[i], ok = e.scalar(q.layer.Inputs[i+1], q.layer.Inputs[0]); !ok || math.IsInf(limits[i], 0) || math.IsNaN(limits[i]) {
			return q, false
		}
	}
	q.low, q.step = limits[2], (limits[3]-limits[2])/float64(q.levels-1)
	q.limits = q.layer.Inputs[3:5]
	low, high := limits[2], limits[3]
	if q.data.Source == q.layer {
		q.data, q.limits = q.layer.Inputs[0], q.layer.Inputs[1:3]
		low, high = limits[0], limits[1]
	}
	return q, low < high && high-low <= math.MaxFloat32
}

// matMul matches a MatMul by byteWeights, and returns the attributes of its QuantizedMatMul.
func (e *editor) matMul(layer *ir.Layer, w *byteWeights) (data []ir.Attribute, ok bool) {
	at := ir.AttributesOf(layer)
	transposed := at.Bool("transpose_b", false)
	if at.Bool("transpose_a", false) || at.Err() != nil || !e.byteWeights(layer.Inputs[1], w) || len(w.shape) != 2 {
		return nil, false
	}
	if transposed {
		w.outputs, w.stride, w.depth, w.step = w.shape[0], w.shape[1], w.shape[1], 1
		ok = w.scaleOf(0, 1)
	} else {
		w.outputs, w.stride, w.depth, w.step = w.shape[1], 1, w.shape[0], w.shape[1]
		ok = w.scaleOf(1, 2)
	}
	return edit.Attributes("transpose_b", strconv.FormatBool(transposed)), ok && gemm.IsBytes(w.depth)
}

// convolution matches a Convolution or GroupConvolution by byteWeights, and returns the attributes of its
// QuantizedConvolution.
func (e *editor) convolution(layer *ir.Layer, w *byteWeights, q *quantization) (data []ir.Attribute, ok bool) {
	grouped, lead := layer.Type == "GroupConvolution", 1
	if grouped {
		lead = 2
	}
	if !e.byteWeights(layer.Inputs[1], w) || len(w.shape) < lead+2 || w.shape.Elements() == 0 {
		return nil, false
	}
	w.outputs, w.step = w.shape[:lead].Elements(), 1
	w.depth = w.shape[lead:].Elements()
	w.stride = w.depth
	if w.depth > gemm.MaxBytesDepth || grouped && w.shape[0] > 1 && w.shape[2]%4 != 0 || !w.scaleOf(0, lead) {
		return nil, false // a group of one channel takes as long as one of four
	}
	outside := 0.0
	if isPadded(layer) {
		zero := -q.low / q.step
		if outside = math.Round(zero); math.Abs(zero-outside) > maxZeroShift || outside < 0 || outside >= float64(q.levels) {
			return nil, false
		}
	}
	return append(edit.Attributes("outside", strconv.Itoa(int(outside)), "grouped", strconv.FormatBool(grouped)), layer.Data...), true
}

// maxZeroShift is how far zero may be from the nearest level, as a part of the distance between levels: limits that were
// chosen to have zero on a level are rounded, those of f16 by more than those of f32. OpenVINO pads with the nearest level too.
const maxZeroShift = 1.0 / 16

// isPadded reports whether a convolution may have windows that reach beyond its data.
func isPadded(layer *ir.Layer) bool {
	at := ir.AttributesOf(layer)
	switch strings.ToLower(at.String("auto_pad", "explicit")) {
	case "valid":
		return false
	case "explicit", "notset":
		for _, n := range append(at.Ints("pads_begin"), at.Ints("pads_end")...) {
			if n > 0 {
				return true
			}
		}
		return at.Err() != nil
	}
	return true
}

// byteWeights are constant weights of i8 that are multiplied by a scale.
type byteWeights struct {
	input      ir.Input
	shape      ir.Shape
	data       []int8
	scale      []float64
	scaleShape ir.Shape

	outputs, stride int // number of outputs, and elements from one to the next
	depth, step     int // the same for the elements of an output
}

// byteWeights matches Multiply(Convert(weights), scale). A zero point that only rounding made different from 0 may be
// subtracted from the weights.
func (e *editor) byteWeights(in ir.Input, w *byteWeights) bool {
	multiply := producer(in, "Multiply")
	if multiply == nil || !e.isFloat32(in) {
		return false
	}
	for i := range 2 {
		from := multiply.Inputs[i]
		if subtract := producer(from, "Subtract"); subtract != nil && e.isNearZero(subtract.Inputs[1]) {
			from = subtract.Inputs[0]
		}
		convert := producer(from, "Convert")
		for convert != nil && convert.Inputs[0].Source.Type == "Convert" {
			convert = convert.Inputs[0].Source
		}
		if convert == nil || convert.Inputs[0].Source.Constant == nil {
			continue
		}
		t, scale := convert.Inputs[0].Source.Constant, e.converted(multiply.Inputs[1-i])
		if t.ElementType() != ir.I8 || scale == nil || len(scale.Shape()) > len(t.Shape()) {
			continue
		}
		w.input, w.shape, w.data = convert.Inputs[0], t.Shape(), ir.Data[int8](t)
		w.scale, w.scaleShape = floatsOf(scale), scale.Shape()
		return w.scale != nil
	}
	return false
}

// converted is value, also of the conversion of a constant that inference does not follow, since it is large.
func (e *editor) converted(in ir.Input) *ir.Tensor {
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
	t := e.converted(in)
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

// scaleOf sets scale to one number for each output. Axes lo to hi-1 of the weights are outputs. It returns false if the
// scale differs along another axis, or if the product would have another shape.
func (w *byteWeights) scaleOf(lo, hi int) bool {
	pad := len(w.shape) - len(w.scaleShape)
	steps, n := make([]int, hi), 1 // elements of scale from one index of an axis to the next
	for axis := len(w.shape) - 1; axis >= pad; axis-- {
		length := w.scaleShape[axis-pad]
		if length == 1 {
			continue
		}
		if axis < lo || axis >= hi || length != w.shape[axis] {
			return false
		}
		steps[axis] = n
		n *= length
	}
	scale := make([]float64, w.outputs)
	for i := range scale {
		at, rest := 0, i
		for axis := hi - 1; axis >= lo; axis-- {
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
		sum := 0
		for p := range w.depth {
			sum += int(w.data[i*w.stride+p*w.step])
		}
		offset[i] = q.low * w.scale[i] * float64(sum)
		w.scale[i] *= q.step
	}
	return w.scale, offset
}
