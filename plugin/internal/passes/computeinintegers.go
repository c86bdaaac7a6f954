package passes

import (
	"math"
	"slices"
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
// Between the FakeQuantize and the product, there may be layers that select, reorder or join elements. If the product pads its
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
	e := integerEditor{newEditor(g), map[levelsOf]*ir.Layer{}, map[*ir.Layer]quantization{}}
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
	joined map[*ir.Layer]quantization // of Concats; without a layer if there is none
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
	layer       *ir.Layer
	data        ir.Input // what a Quantize with the limits reads
	limits      []ir.Input
	levels      int64
	first, last float64 // the limits of the input
	low, step   float64 // level n is low + n*step
}

// maxMoves is the largest number of layers between a FakeQuantize and a product.
const maxMoves = 8

// quantization matches data that is quantized, or that layers select, reorder or join from such data.
func (e *integerEditor) quantization(in ir.Input) (q quantization, ok bool) {
	if q, ok = e.levelsAt(in, maxMoves); !ok {
		return q, false
	}
	if q.layer == in.Source {
		q.data, q.limits = q.layer.Inputs[0], q.layer.Inputs[1:3]
		return q, q.first < q.last && q.last-q.first <= math.MaxFloat32
	}
	high := q.low + q.step*float64(q.levels-1)
	q.data, q.limits = in, q.layer.Inputs[3:5]
	return q, q.low < high && high-q.low <= math.MaxFloat32
}

// levelsAt returns one of the FakeQuantizes whose results in consists of. All have the same levels. There are at most a
// number of moves between them and in.
func (e *integerEditor) levelsAt(in ir.Input, moves int) (q quantization, ok bool) {
	if fq := producer(in, "FakeQuantize"); fq != nil {
		return e.fakeQuantize(fq)
	}
	if moves == 0 {
		return q, false
	}
	if move := producer(in, "MaxPool", "Reshape", "Transpose", "Squeeze", "Unsqueeze"); move != nil {
		return e.levelsAt(move.Inputs[0], moves-1)
	}
	concat := producer(in, "Concat")
	if concat == nil {
		return q, false
	}
	if known, ok := e.joined[concat]; ok {
		return known, known.layer != nil
	}
	e.joined[concat] = quantization{}
	for i, part := range concat.Inputs {
		other, ok := e.levelsAt(part, moves-1)
		if !ok || i > 0 && (other.levels != q.levels || other.low != q.low || other.step != q.step) {
			return quantization{}, false
		}
		q = other
	}
	e.joined[concat] = q
	return q, q.layer != nil
}

// fakeQuantize matches a FakeQuantize of f32 with scalar limits and up to 256 levels.
func (e *editor) fakeQuantize(fq *ir.Layer) (q quantization, ok bool) {
	if len(fq.Inputs) != 5 || !e.isFloat32(ir.Input{Source: fq}) {
		return q, false
	}
	at := ir.AttributesOf(fq)
	q.layer, q.levels = fq, at.Int("levels", 0)
	if at.Err() != nil || q.levels < 2 || q.levels > 256 {
		return q, false
	}
	var limits [4]float64
	for i := range limits {
		// The limits do not change the shape of x.
		if limits[i], ok = e.scalar(fq.Inputs[i+1], fq.Inputs[0]); !ok || math.IsInf(limits[i], 0) || math.IsNaN(limits[i]) {
			return q, false
		}
	}
	q.first, q.last = limits[0], limits[1]
	q.low, q.step = limits[2], (limits[3]-limits[2])/float64(q.levels-1)
	return q, true
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

// byteWeights matches Multiply(Convert(weights), scale), and weights that a FakeQuantize scales. A zero point that only
// rounding made different from 0 may be subtracted from the weights.
func (e *editor) byteWeights(in ir.Input, w *byteWeights) bool {
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
	w.input = e.constant(fq, bytes)
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
