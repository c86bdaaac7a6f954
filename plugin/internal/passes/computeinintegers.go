package passes

import (
	"math"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// ComputeInIntegers computes a MatMul of quantised data and weights of 8 bits in integers:
//
//	MatMul(FakeQuantize(x), Multiply(Convert(weights), scale)) = QuantizedMatMul(Quantize(x), weights, scale', offset')
//
// FakeQuantize returns output_low + n*step for a number of a level n, so its sum of products is the sum of n*weight,
// times step and scale, plus the sum of the weights times output_low and scale. All limits are scalars; a scale has one
// element or one for each column. The sums of integers are exact, those of floats are rounded.
//
// The pass does nothing if the processor multiplies floats as fast.
var ComputeInIntegers = Pass{"ComputeInIntegers", computeInIntegers}

func computeInIntegers(g *Graph) bool {
	if !gemm.BytesPay() || !g.has("FakeQuantize") || !g.has("MatMul") || !g.canInsert("Quantize", own) || !g.canInsert("QuantizedMatMul", own) {
		return false
	}
	e := newEditor(g)
	levels := map[*ir.Layer]*ir.Layer{} // the Quantize of a FakeQuantize
	for _, layer := range g.Model.Order {
		if layer.Type != "MatMul" || !isNumpy(layer) {
			continue
		}
		at := ir.AttributesOf(layer)
		transposed := at.Bool("transpose_b", false)
		if at.Bool("transpose_a", false) || at.Err() != nil {
			continue
		}
		q, ok := e.quantization(layer.Inputs[0])
		if !ok {
			continue
		}
		w, ok := e.byteWeights(layer.Inputs[1], transposed)
		if !ok {
			continue
		}
		if levels[q.layer] == nil {
			levels[q.layer] = e.insert(q.layer, "Quantize", own, edit.Attributes("levels", strconv.FormatInt(q.levels, 10)), q.layer.Inputs[:3]...)
		}
		scale, offset := w.combine(&q)
		shape := ir.Shape{len(scale)}
		product := e.insert(layer, "QuantizedMatMul", own, edit.Attributes("transpose_b", strconv.FormatBool(transposed)),
			ir.Input{Source: levels[q.layer]}, w.input, e.constant(layer, floatTensor(shape, scale)), e.constant(layer, floatTensor(shape, offset)))
		e.replace(layer, edit.First(product))
	}
	return e.done()
}

// quantization is a FakeQuantize with scalar limits.
type quantization struct {
	layer     *ir.Layer
	levels    int64
	low, step float64 // its result for level n is low + n*step
}

// quantization matches a FakeQuantize of f32 with scalar limits and up to 256 levels.
func (e *editor) quantization(in ir.Input) (q quantization, ok bool) {
	q.layer = producer(in, "FakeQuantize")
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
	return q, limits[0] < limits[1] && limits[1]-limits[0] <= math.MaxFloat32
}

// byteWeights are constant weights of i8 that are multiplied by a scale.
type byteWeights struct {
	input  ir.Input
	tensor *ir.Tensor // a matrix
	column int        // stride from one column to the next; that of the rows is 1 if it is not
	scale  []float64  // one, or one for each column
}

// byteWeights matches weights of a MatMul that have one column for each output.
func (e *editor) byteWeights(in ir.Input, transposed bool) (w byteWeights, ok bool) {
	multiply := producer(in, "Multiply")
	if multiply == nil || !e.isFloat32(in) {
		return w, false
	}
	for i := range 2 {
		convert := producer(multiply.Inputs[i], "Convert")
		if convert == nil || convert.Inputs[0].Source.Constant == nil {
			continue
		}
		w.input, w.tensor = convert.Inputs[0], convert.Inputs[0].Source.Constant
		scale := e.value(multiply.Inputs[1-i])
		if w.tensor.ElementType() != ir.I8 || len(w.tensor.Shape()) != 2 || scale == nil {
			continue
		}
		columns, depth, along := w.tensor.Shape()[1], w.tensor.Shape()[0], 1
		w.column = 1
		if transposed {
			columns, depth, along, w.column = depth, columns, 0, columns
		}
		w.scale = floatsOf(scale)
		return w, w.scale != nil && columns > 0 && gemm.IsBytes(depth) && isAlong(scale.Shape(), along, columns)
	}
	return w, false
}

// isAlong reports whether shape, which broadcasts to a matrix, has one element or n elements along an axis of the
// matrix.
func isAlong(shape ir.Shape, axis, n int) bool {
	if shape.Elements() == 1 && len(shape) <= 2 {
		return true
	}
	want := ir.Shape{1, 1}
	want[axis] = n
	return slices.Equal(shape, want) || axis == 1 && slices.Equal(shape, want[1:])
}

// combine returns the scale and the offset of each column of the product.
func (w *byteWeights) combine(q *quantization) (scale, offset []float64) {
	data, shape := ir.Data[int8](w.tensor), w.tensor.Shape()
	columns, depth, row := shape[1], shape[0], shape[1]
	if w.column != 1 {
		columns, depth, row = depth, columns, 1
	}
	for j := range columns {
		by, sum := w.scale[0], 0
		if len(w.scale) > 1 {
			by = w.scale[j]
		}
		for p := range depth {
			sum += int(data[j*w.column+p*row])
		}
		scale, offset = append(scale, q.step*by), append(offset, q.low*by*float64(sum))
	}
	return scale, offset
}
