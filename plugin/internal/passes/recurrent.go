package passes

import (
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// recurrentTypes are the types of recurrent layers, with the number of their states.
var recurrentTypes = map[string]int{"GRUCell": 1, "GRUSequence": 1, "LSTMCell": 2, "LSTMSequence": 2, "RNNCell": 1, "RNNSequence": 1}

// recurrent is a match of a recurrent layer whose weights W and R are i8 with a scale for each row.
type recurrent struct {
	states []ir.Input  // and the lengths of a sequence
	w, r   byteWeights // the rows of all directions
	bias   []float64   // of the rows of w
	linear []ir.Input  // B of linear_before_reset
}

// recurrent matches a recurrent layer; nil if it does not match.
func (e *editor) recurrent(layer *ir.Layer) *recurrent {
	op, err := e.Op(layer)
	n := 1 + recurrentTypes[layer.Type]
	if n == 1 || err != nil || op.Namespace != "" || op.Type == "LSTMCell" && op.Version == 1 || !e.canInsert(layer.Type, own) {
		return nil
	}
	if op.Inputs.Min == n+4 { // a sequence
		n++
	}
	m := &recurrent{states: layer.Inputs[1:n]}
	if !e.isFloat32(layer.Inputs[0]) || layer.Inputs[0].Source.Constant != nil || !e.matrixOfBytes(layer.Inputs[n], &m.w) || !e.matrixOfBytes(layer.Inputs[n+1], &m.r) {
		return nil
	}
	// The shape rule does not compare the rows of W with X.
	x, width := e.fact(layer.Inputs[0]).Shape, ir.DimOfInt(int64(m.w.depth))
	if !x.RankKnown() || x.Rank() < 2 || x.At(x.Rank()-1) != width {
		return nil
	}
	bias := e.known(layer.Inputs[n+2])
	if bias == nil || m.w.outputs != m.r.outputs || m.w.outputs < minColumns || !isFinite(m.w.scale) || !isFinite(m.r.scale) {
		return nil
	}
	m.bias = floatsOf(bias)
	if at := ir.AttributesOf(layer); at.Bool("linear_before_reset", false) && len(m.bias)%4 == 0 {
		m.linear = []ir.Input{layer.Inputs[n+2]}
		directions := m.r.outputs / (3 * max(m.r.depth, 1))
		m.bias = firstGates(m.bias, directions)
	}
	if len(m.bias) != m.w.outputs {
		return nil
	}
	return m
}

// firstGates returns the first three of the four parts of the biases of each direction.
func firstGates(bias []float64, directions int) []float64 {
	var list []float64
	for d := range directions {
		list = append(list, bias[d*len(bias)/directions:][:len(bias)/directions/4*3]...)
	}
	return list
}

// matrixOfBytes matches byteWeights with a scale for each row, the last axis.
func (e *editor) matrixOfBytes(in ir.Input, w *byteWeights) bool {
	if !e.byteWeights(in, w) || len(w.shape) < 2 {
		return false
	}
	last := len(w.shape) - 1
	w.outputs, w.depth = w.shape[:last].Elements(), w.shape[last]
	w.stride, w.step = w.depth, 1
	var rows []int
	for axis := range last {
		rows = append(rows, axis)
	}
	return w.depth > 0 && w.scaleOf(rows...)
}

// replaceRecurrent replaces a recurrent layer by one that reads R as it is, behind gates, the product X·Wᵀ + B.
func (e *editor) replaceRecurrent(layer *ir.Layer, m *recurrent, gates *ir.Layer) {
	codes := m.r.input
	if m.r.reshaped != nil {
		codes = e.constant(layer, m.r.reshaped)
	}
	inputs := append([]ir.Input{{Source: gates}}, m.states...)
	inputs = append(inputs, codes, e.constant(layer, floatTensor(ir.Shape{m.r.outputs}, m.r.scale)))
	product := e.insert(layer, layer.Type, own, layer.Data, append(inputs, m.linear...)...)
	for i := range layer.Outputs {
		if i > 0 {
			product.Outputs = append(product.Outputs, ir.Output{Port: product.Outputs[0].Port + uint64(i), Declared: ir.UnknownRank})
		}
		e.Replace(edit.Source{Layer: layer, Output: i}, edit.Source{Layer: product, Output: i})
	}
}

// rowsOf returns the codes of w as a matrix.
func (e *editor) rowsOf(layer *ir.Layer, w *byteWeights) ir.Input {
	t, err := ir.TensorOf(ir.I8, ir.Shape{w.outputs, w.depth}, w.data)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return e.constant(layer, t)
}

// keepRecurrent keeps the weights of a recurrent layer as they are.
func (e *editor) keepRecurrent(layer *ir.Layer) {
	m := e.recurrent(layer)
	if m == nil {
		return
	}
	scale := e.constant(layer, floatTensor(ir.Shape{m.w.outputs, 1}, m.w.scale))
	data := edit.Attributes("transpose_b", "true", "exact", "true")
	product := e.insert(layer, "CompressedMatMul", own, data, layer.Inputs[0], e.rowsOf(layer, &m.w), scale)
	bias := e.constant(layer, floatTensor(ir.Shape{m.w.outputs}, m.bias))
	e.replaceRecurrent(layer, m, e.insert(layer, "Add", "opset1", nil, ir.Input{Source: product}, bias))
}

// multiplyRecurrent computes the product of X and W of a recurrent layer in integers if X is quantized. It notes why not.
func (e *integerEditor) multiplyRecurrent(layer *ir.Layer) {
	q, quantized := e.quantization(layer.Inputs[0])
	m := e.recurrent(layer)
	switch {
	case m == nil && !quantized:
		return
	case m == nil:
		e.note(layer, "the data is quantized, but the weights are not i8 with a scale for each row")
		return
	case !quantized || len(q.low) > 1:
		e.note(layer, "the data is not quantized; the weights stay in 8 bits, and their products are those of floats")
		return
	case gemm.HasWords() || !gemm.IsBytes(m.w.depth) || !e.canInsert("QuantizedMatMul", own):
		e.note(layer, "the state is not quantized; the weights stay in 8 bits, but products in integers would widen them to 16")
		return
	}
	scale, offset := m.w.combine(&q)
	for i, v := range m.bias {
		offset[i] += v
	}
	if !isFinite(scale) || !isFinite(offset) {
		e.note(layer, "a scale is not finite")
		return
	}
	e.note(layer, "the state is not quantized; the product of its data is computed in integers, that of its state with weights of 8 bits in floats")
	shape := ir.Shape{len(scale)}
	data := edit.Attributes("transpose_b", "true")
	e.replaceRecurrent(layer, m, e.insert(layer, "QuantizedMatMul", own, data,
		e.levelsOf(layer.Inputs[0]).Input(), e.rowsOf(layer, &m.w), e.constant(layer, floatTensor(shape, scale)), e.constant(layer, floatTensor(shape, offset))))
}
