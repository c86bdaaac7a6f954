// Package integers has the pass that computes products of quantized data in integers.
package integers

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/conv/depthwise"
	"github.com/vinoir/vinoir/internal/conv/winograd"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/passes/attention"
	"github.com/vinoir/vinoir/ops/internal/passes/weights"
)

// ComputeInIntegers computes products of quantized data and weights of 8 bits in integers:
//
//	MatMul(FakeQuantize(x), Multiply(Convert(weights), scale)) = QuantizedMatMul(Quantize(x), weights, scale', offset')
//
// and Convolution, GroupConvolution, ConvolutionBackpropData and GroupConvolutionBackpropData
// likewise. A constant behind a FakeQuantize, one of whose levels is 0, is such weights too, and so
// are those of replaceShifted.
// FakeQuantize returns output_low + n*step for a number of a level n, so its sum of products is the
// sum of n*weight, times step and scale, plus the sum of the weights times output_low and scale.
// Limits are scalars or, for depthwise convolutions, one for each channel; a scale has one element
// or one for each output channel. The sums of integers are exact, those of floats are rounded.
//
// Between the FakeQuantize and the product, there may be layers that select, reorder, repeat or
// join elements; they then move levels. If the product pads its data with zeros, zero must be one
// of the levels, of each channel if they have limits of their own. So it must if the product is a
// transposed convolution, whose outputs are sums of different elements of the filters.
//
// The product of the data of a recurrent layer and its weights is computed in the same way, where
// its operands stay in 8 bits.
//
// A FakeQuantize behind an Interpolate that repeats elements is computed before it, and one with
// the levels that its data has is not computed again.
//
// Other layers that read the result of such a FakeQuantize read Dequantize(Quantize(x)) instead,
// and so do the readers of a FakeQuantize behind a product or behind levels: what is before it can
// write the levels itself. An Add of two such results becomes a DequantizeAdd of the levels.
//
// A product of two quantized activations is computed in integers too, unless they are small:
//
//	MatMul(FakeQuantize(x), FakeQuantize(y)) = QuantizedProduct(Quantize(x), Quantize(y), step*step', -low/step, -low'/step')
//
// Of attention whose query and key are quantized, one layer or what RecogniseAttention makes one
// layer, the first product is one of integers. Weights of attention that are quantized too are not
// those of a ScaledDotProductAttention: then both products are products of activations.
//
// Products of codes, integers of 8 bits that are no result of a FakeQuantize, are those of
// multiplyCodes: models have them whose data is quantized with limits of its own.
//
// The pass does nothing if the processor multiplies floats as fast. With AVX2 alone, it leaves
// products of a single row, attention, and convolutions that Winograd's filtering computes in less
// time.
func ComputeInIntegers(g *ops.Graph) bool {
	if !gemm.BytesPay() && !gemm.QuadsPay() || !g.Has("FakeQuantize", "Convert") || !g.CanInsert("Quantize", rewrite.Namespace) || !g.CanInsert("Dequantize", rewrite.Namespace) {
		return false
	}
	e := editor{
		&weights.Editor{Editor: rewrite.NewEditor(g)}, map[edit.Source]edit.Source{}, map[edit.Source]quantization{}, map[*ir.Layer]bool{}, map[*ir.Layer]quantization{}, gemm.QuadSize() == 4 && g.CanInsert("QuantizedAttention", rewrite.Namespace),
	}
	if gemm.BytesPay() && g.Has("MatMul") && e.CanInsert("QuantizedMatMul", rewrite.Namespace) {
		e.multiplyCodes()
	}
	if !g.Has("FakeQuantize") {
		return e.Done()
	}
	e.findLevels()
	attentions := attention.Find(e.Editor.Editor)
	scores := map[*ir.Layer]bool{} // products that will be parts of attention
	for _, a := range attentions {
		scores[a.Product] = true
	}
	for _, layer := range g.Model.Order {
		a, isAttention := attentions[layer]
		traits := e.Traits(layer)
		switch {
		case scores[layer]:
		case isAttention:
			e.replaceAttention(layer, &a, "")
		case layer.Type == "ScaledDotProductAttention":
			a, reason := e.attentionOf(layer)
			e.replaceAttention(layer, &a, reason)
		case e.isOfActivations(layer):
			e.replaceProductOfActivations(layer)
		case traits.Linear != nil:
			e.replaceProduct(layer, traits.Linear)
		case traits.States > 0:
			e.multiplyRecurrent(layer)
		}
	}
	// the readers of a FakeQuantize before it
	for _, layer := range slices.Backward(g.Model.Order) {
		for i := range layer.Outputs {
			e.replaceFloats(edit.Source{Layer: layer, Output: i})
		}
	}
	for _, layer := range g.Model.Order {
		e.replaceSum(layer)
	}
	return e.Done()
}

// editor is an editor that inserts each Quantize once.
type editor struct {
	*weights.Editor
	levels    map[edit.Source]edit.Source  // of results of FakeQuantizes, and of what moves them
	quantized map[edit.Source]quantization // these results
	// products of integers, and elementwise layers behind them
	behind    map[*ir.Layer]bool
	numbers   map[*ir.Layer]quantization // the inserted Dequantizes
	attention bool                       // whether there is attention in integers
}

// replaceProduct replaces a product by one of integers, if it can. If its data or its weights are
// quantized and it cannot, it notes why.
func (e *editor) replaceProduct(layer *ir.Layer, l *ops.Linear) {
	pays := gemm.QuadsPay
	if l.Matrix {
		pays = gemm.BytesPay
	}
	q, quantized := e.quantization(layer.Inputs[0])
	switch {
	case l.Integers == "":
		if quantized {
			e.Explain(layer, "layers of this type have no kernel for integers")
		}
		return
	case !pays() || !e.CanInsert(l.Integers, rewrite.Namespace):
		return
	}
	var w weights.Bytes
	// Weights of a FakeQuantize are copied, which only a product of quantized data is worth.
	bytes := (quantized || rewrite.Producer(layer.Inputs[1], "FakeQuantize") == nil) && e.FindBytes(layer.Inputs[1], &w)
	var data []ir.Attribute
	stored, reason := w, ""
	switch {
	case !quantized && !bytes:
		return
	case l.Matrix && quantized && !bytes && e.replaceShifted(layer, &q):
		return
	case !quantized:
		reason = "the weights have 8 bits, but the data is not quantized, or not to levels that a product can read"
	case !bytes:
		reason = "the data is quantized, but the weights are neither i8 with a scale nor constants of levels that fit i8"
	case l.Matrix:
		data, reason = e.matMul(layer, &w, &q)
	case l.Transposed:
		data, reason = e.transposedConvolution(layer, l, &w, &q)
	default:
		data, reason = e.convolution(layer, l, &w, &q)
	}
	if reason != "" {
		e.Explain(layer, reason)
		if l.Matrix && w.Numbered && w.Reshaped == nil {
			e.scaleBytes(layer, &stored)
		}
		return
	}
	scale, offset := w.Combine(q.low, q.step)
	if !rewrite.IsFinite(scale) || !rewrite.IsFinite(offset) {
		e.Explain(layer, "a scale is not finite")
		return
	}
	weights := w.Input
	if w.Reshaped != nil {
		weights = e.AddConstant(layer, w.Reshaped)
	}
	shape := ir.Shape{len(scale)}
	inputs := []ir.Input{e.levelsOf(layer.Inputs[0]).Input(), weights, e.AddConstant(layer, rewrite.FloatTensor(shape, scale)), e.AddConstant(layer, rewrite.FloatTensor(shape, offset))}
	product := e.AddLayer(layer, l.Integers, rewrite.Namespace, data, append(inputs, layer.Inputs[2:]...)...)
	e.ReplaceLayer(layer, edit.First(product))
	e.behind[product] = true
}

// addNumber adds a Constant of f32 with one element on behalf of layer at, and returns an input
// that reads it.
func (e *editor) addNumber(at *ir.Layer, value float64) ir.Input {
	return e.AddConstant(at, rewrite.FloatTensor(ir.Shape{}, []float64{value}))
}

// scaleBytes replaces a FakeQuantize that returns weights by a Multiply of the bytes and the scale,
// which KeepCompressed finds.
func (e *editor) scaleBytes(matMul *ir.Layer, w *weights.Bytes) {
	wide := e.AddConvert(matMul, w.Input, ir.F32)
	scale := e.AddConstant(matMul, rewrite.FloatTensor(w.ScaleShape, w.Scale))
	e.ReplaceLayer(matMul.Inputs[1].Source, edit.First(e.AddLayer(matMul, "Multiply", "opset1", nil, ir.Input{Source: wide}, scale)))
}

// replaceFloats replaces the result of a FakeQuantize, or of layers that move it, by the numbers of
// its levels, if these are computed anyway or if a product of integers can write them.
func (e *editor) replaceFloats(from edit.Source) {
	layer := from.Layer
	if _, ok := e.levels[from]; !ok && (layer.Type != "FakeQuantize" || !e.isBehind(layer.Inputs[0], maxBehind)) || e.ReaderCount(from) == 0 {
		return
	}
	q, ok := e.quantization(from.Input())
	if !ok || len(q.low) > 1 {
		return
	}
	numbers := e.AddLayer(layer, "Dequantize", rewrite.Namespace, nil, e.levelsOf(from.Input()).Input(), e.addNumber(layer, q.low[0]), e.addNumber(layer, q.step[0]))
	e.Facts[numbers] = e.Fact(from.Input())
	e.numbers[numbers] = q
	e.Replace(from, edit.First(numbers))
}

// replaceSum replaces an Add of the numbers of two levels, of the same shape, by one layer that
// reads the levels.
func (e *editor) replaceSum(layer *ir.Layer) {
	if layer.Type != "Add" || !rewrite.IsNumpy(layer) || len(layer.Inputs) != 2 || !e.CanInsert("DequantizeAdd", rewrite.Namespace) {
		return
	}
	var low, step [2]float64
	var codes [2]ir.Input
	for i, in := range layer.Inputs {
		q, ok := e.numbers[in.Source]
		if !ok {
			return
		}
		low[i], step[i], codes[i] = q.low[0], q.step[0], in.Source.Inputs[0]
	}
	shape := e.Fact(layer.Inputs[0]).Shape
	if !shape.IsStatic() || !shape.Equal(e.Fact(layer.Inputs[1]).Shape) {
		return
	}
	steps := e.AddConstant(layer, rewrite.FloatTensor(ir.Shape{2}, step[:]))
	e.ReplaceLayer(layer, edit.First(e.AddLayer(layer, "DequantizeAdd", rewrite.Namespace, nil, codes[0], codes[1], e.addNumber(layer, low[0]+low[1]), steps)))
}

// maxBehind is the largest number of layers between a product and the FakeQuantize of its result.
const maxBehind = 4

// isBehind reports whether in is the result of a product of integers or consists of levels, or is
// that of elementwise layers behind such a result, of which each is the only reader of the one
// before.
func (e *editor) isBehind(in ir.Input, most int) bool {
	layer := in.Source
	if q, ok := e.quantization(in); e.behind[layer] || ok && len(q.low) == 1 {
		return true
	}
	return most > 0 && layer.Index < e.Layers && e.HasOneReader(layer) &&
		e.isElementwise(in) &&
		slices.ContainsFunc(layer.Inputs, func(in ir.Input) bool { return e.isBehind(in, most-1) })
}

// isElementwise reports whether a layer computes in that can be fused into the product before it.
func (e *editor) isElementwise(in ir.Input) bool {
	op, err := e.Op(in.Source)
	return err == nil && op.Fusion.Stage != nil && op.Fusion.Applies && rewrite.IsNumpy(in.Source)
}

// fakeQuantize matches a FakeQuantize of f32 with up to 256 levels, whose limits are scalars or one
// for each channel.
func (e *editor) fakeQuantize(fq *ir.Layer) (q quantization, ok bool) {
	if len(fq.Inputs) != 5 || !e.IsFloat32(ir.Input{Source: fq}) || !rewrite.IsNumpy(fq) {
		return q, false
	}
	at := ir.AttributesOf(fq)
	q.levels = at.Int("levels", 0)
	if at.Err() != nil || q.levels < 2 || q.levels > 256 {
		return q, false
	}
	var limits [4][]float64
	n := 1
	for i := range limits {
		if limits[i] = e.limits(fq.Inputs[i+1], fq.Inputs[0]); limits[i] == nil || n > 1 && len(limits[i]) > 1 && len(limits[i]) != n {
			return q, false
		}
		n = max(n, len(limits[i]))
	}
	for i := range n {
		at := func(limit int) float64 { return limits[limit][i%len(limits[limit])] }
		q.low, q.step = append(q.low, at(2)), append(q.step, (at(3)-at(2))/float64(q.levels-1))
		q.plain = (i == 0 || q.plain) && at(0) == at(2) && at(1) == at(3)
		// Quantize multiplies by the reciprocal of the width, and subtracts the lowest level:
		// neither may lose the data.
		width := at(1) - at(0)
		if !(width >= rewrite.MinWidth && width <= math.MaxFloat32 && math.Abs(at(0)) <= rewrite.MaxOffset*width) || math.IsInf(at(2)-at(3), 0) || at(2) != at(2) || at(3) != at(3) {
			return q, false
		}
	}
	return q, true
}

// limits returns the elements of a constant if it is one element, or one for each element of axis 1
// of x; nil otherwise.
func (e *editor) limits(in, x ir.Input) []float64 {
	t := e.Known(in)
	if t == nil || t.Len() == 0 {
		return nil
	}
	shape, rank := t.Shape(), len(t.Shape())
	switch {
	case t.Len() == 1 && (rank == 0 || e.HasRank(x, rank)):
		// the limits do not change the shape of x
	case rank >= 2 && t.Len() == shape[1] && e.Fact(x).Shape.RankKnown() && e.Fact(x).Shape.Rank() == rank:
	default:
		return nil
	}
	return rewrite.FloatsOf(t)
}

// matMul returns the attributes of the QuantizedMatMul for a MatMul, or why there is none.
func (e *editor) matMul(layer *ir.Layer, w *weights.Bytes, q *quantization) (data []ir.Attribute, reason string) {
	at := ir.AttributesOf(layer)
	transposed := at.Bool("transpose_b", false)
	if at.Bool("transpose_a", false) || at.Err() != nil {
		return nil, "the data is transposed"
	}
	if len(w.Shape) != 2 {
		return nil, "the weights are not one matrix"
	}
	if gemm.HasWords() && e.isRow(layer.Inputs[0]) {
		return nil, "a single row takes the time to read the weights, which are widened for products in integers"
	}
	scaled := false
	if transposed {
		w.Outputs, w.Stride, w.Depth, w.Step = w.Shape[0], w.Shape[1], w.Shape[1], 1
		scaled = w.ScaleOf(0)
	} else {
		w.Outputs, w.Stride, w.Depth, w.Step = w.Shape[1], 1, w.Shape[0], w.Shape[1]
		scaled = w.ScaleOf(1)
	}
	switch {
	case !scaled || len(q.low) > 1:
		reason = "a scale differs along an axis that is summed"
	case !gemm.IsBytes(w.Depth):
		reason = "the number of products that are summed is no multiple of 4, or too large"
	}
	return edit.Attributes("transpose_b", strconv.FormatBool(transposed)), reason
}

// convolution returns the attributes of the QuantizedConvolution for a Convolution or
// GroupConvolution, or why there is none.
func (e *editor) convolution(layer *ir.Layer, l *ops.Linear, w *weights.Bytes, q *quantization) (data []ir.Attribute, reason string) {
	grouped, lead, outputAxes := l.Grouped, l.In, []int{0, 1} // the axes before In are outputs
	if len(w.Shape) < lead+2 || w.Shape.Elements() == 0 {
		return nil, "the filters are empty"
	}
	w.Outputs, w.Step = w.Shape[:lead].Elements(), 1
	w.Depth = w.Shape[lead:].Elements()
	w.Stride = w.Depth
	depthwise := grouped && isDepthwise(w)
	switch {
	case w.Depth > gemm.MaxBytesDepth:
		return nil, "the filters are too large"
	case grouped && w.Shape[0] > 1 && w.Shape[2]%gemm.QuadSize() != 0 && !depthwise:
		// A group of two channels takes as long as one of four.
		return nil, "the channels of a group are no multiple of " + strconv.Itoa(gemm.QuadSize())
	case !w.ScaleOf(outputAxes[:lead]...) || len(q.low) > 1 && !(depthwise && w.Shape[0] == len(q.low)):
		return nil, "a scale differs along an axis that is summed"
	}
	if !grouped && e.winogradGain(layer, w) > winogradGain {
		return nil, "Winograd's filtering in f32 is faster"
	}
	var outside []string
	if isPadded(layer) {
		zeros, ok := q.zeros()
		if !ok {
			return nil, "the data is padded with zeros, and zero is no level"
		}
		for _, level := range zeros {
			outside = append(outside, strconv.FormatInt(level, 10))
		}
	}
	return append(edit.Attributes("outside", strings.Join(outside, ","), "grouped", strconv.FormatBool(grouped)), layer.Data...), ""
}

// transposedConvolution is convolution for a ConvolutionBackpropData or
// GroupConvolutionBackpropData.
func (e *editor) transposedConvolution(layer *ir.Layer, l *ops.Linear, w *weights.Bytes, q *quantization) (data []ir.Attribute, reason string) {
	lead, outputAxes := l.In, []int{l.Out}
	if l.Grouped {
		outputAxes = []int{0, l.Out}
	}
	if len(w.Shape) < lead+3 || w.Shape.Elements() == 0 {
		return nil, "the filters are empty"
	}
	phases := 1.0
	for _, n := range ir.AttributesOf(layer).Ints("strides") {
		phases *= float64(n)
	}
	outside, isLevel := q.zero()
	w.Outputs = w.Shape[:lead].Elements() * w.Shape[lead+1]
	switch {
	case w.Shape.Elements()/w.Outputs > gemm.MaxBytesDepth:
		reason = "the filters are too large"
	case phases > maxPhases:
		reason = "the strides are large"
	case lead > 0 && w.Shape[0] > 1 && w.Shape[1]%gemm.QuadSize() != 0:
		reason = "the channels of a group are no multiple of " + strconv.Itoa(gemm.QuadSize())
	case !w.ScaleOf(outputAxes...) || len(q.low) > 1:
		reason = "a scale differs along an axis that is summed"
	case !isLevel:
		reason = "zero is no level of the data, and the outputs are sums of different elements of the filters"
	}
	return append(edit.Attributes("outside", strconv.FormatInt(outside, 10), "grouped", strconv.FormatBool(lead > 0)), layer.Data...), reason
}

// maxPhases is the largest number of phases of the strides of a transposed convolution, of which
// each has products of its own.
const maxPhases = 256

// winogradGain is how many times as fast as a product of float32 one of quads of i16 is.
const winogradGain = 1.7

// winogradGain returns how many times as fast as a product Winograd's filtering is, where products
// in integers are only a little faster than those of float32; 0 elsewhere, or if the shapes are not
// known.
func (e *editor) winogradGain(layer *ir.Layer, w *weights.Bytes) float64 {
	in, err := e.Fact(layer.Inputs[0]).Shape.Static()
	if err != nil || gemm.QuadSize() == 4 || len(w.Shape) != 4 || len(in) != 4 {
		return 0
	}
	out, err := e.Fact(ir.Input{Source: layer}).Shape.Static()
	if err != nil {
		return 0
	}
	at := ir.AttributesOf(layer)
	strides, dilations := at.Ints("strides"), at.Ints("dilations")
	if at.Err() != nil || len(strides) != 2 || len(dilations) != 2 {
		return 0
	}
	axis := func(i int) conv.Axis {
		return conv.Axis{Input: in[2+i], Output: out[2+i], Kernel: w.Shape[2+i], Stride: int(strides[i]), Dilation: int(dilations[i])}
	}
	return winograd.Gain(winograd.Shape{Batch: in[0], In: w.Shape[1], Out: w.Shape[0], Y: axis(0), X: axis(1)})
}

// isDepthwise reports whether the weights are those of a depthwise convolution that package conv
// computes.
func isDepthwise(w *weights.Bytes) bool {
	return len(w.Shape) == 5 && w.Shape[2] == 1 && max(w.Shape[3], w.Shape[4]) <= depthwise.MaxBytesKernel
}

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
