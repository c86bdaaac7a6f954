package weights

import (
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// recurrent is a match of a recurrent layer whose weights W and R are i8 with a scale for each row.
type recurrent struct {
	states []ir.Input // and the lengths of a sequence
	W, r   Bytes      // the rows of all directions
	Bias   []float64  // of the rows of w
	linear []ir.Input // B of linear_before_reset
}

// FindRecurrent matches a recurrent layer; nil if it does not match.
func (e *Editor) FindRecurrent(layer *ir.Layer) *recurrent {
	op, err := e.Op(layer)
	if err != nil || op.Traits.States == 0 || !e.CanInsert(layer.Type, rewrite.Namespace) {
		return nil
	}
	n := 1 + op.Traits.States
	if op.Inputs.Min == n+4 { // a sequence
		n++
	}
	m := &recurrent{states: layer.Inputs[1:n]}
	if !e.IsFloat32(layer.Inputs[0]) || layer.Inputs[0].Source.Constant != nil || !e.matrixOfBytes(layer.Inputs[n], &m.W) || !e.matrixOfBytes(layer.Inputs[n+1], &m.r) {
		return nil
	}
	// The shape rule does not compare the rows of W with X.
	x, width := e.Fact(layer.Inputs[0]).Shape, ir.DimOfInt(int64(m.W.Depth))
	if !x.RankKnown() || x.Rank() < 2 || x.At(x.Rank()-1) != width {
		return nil
	}
	bias := e.Known(layer.Inputs[n+2])
	if bias == nil || m.W.Outputs != m.r.Outputs || m.W.Outputs < minColumns || !rewrite.IsFinite(m.W.Scale) || !rewrite.IsFinite(m.r.Scale) {
		return nil
	}
	m.Bias = rewrite.FloatsOf(bias)
	if at := ir.AttributesOf(layer); at.Bool("linear_before_reset", false) && len(m.Bias)%4 == 0 {
		m.linear = []ir.Input{layer.Inputs[n+2]}
		directions := m.r.Outputs / (3 * max(m.r.Depth, 1))
		m.Bias = firstGates(m.Bias, directions)
	}
	if len(m.Bias) != m.W.Outputs {
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

// matrixOfBytes matches Bytes with a scale for each row, the last axis.
func (e *Editor) matrixOfBytes(in ir.Input, w *Bytes) bool {
	if !e.FindBytes(in, w) || len(w.Shape) < 2 {
		return false
	}
	last := len(w.Shape) - 1
	w.Outputs, w.Depth = w.Shape[:last].Elements(), w.Shape[last]
	w.Stride, w.Step = w.Depth, 1
	var rows []int
	for axis := range last {
		rows = append(rows, axis)
	}
	return w.Depth > 0 && w.ScaleOf(rows...)
}

// ReplaceRecurrent replaces a recurrent layer by one that reads R as it is, behind gates, the
// product X·Wᵀ + B.
func (e *Editor) ReplaceRecurrent(layer *ir.Layer, m *recurrent, gates *ir.Layer) {
	codes := m.r.Input
	if m.r.Reshaped != nil {
		codes = e.AddConstant(layer, m.r.Reshaped)
	}
	inputs := append([]ir.Input{{Source: gates}}, m.states...)
	inputs = append(inputs, codes, e.AddConstant(layer, rewrite.FloatTensor(ir.Shape{m.r.Outputs}, m.r.Scale)))
	product := e.AddLayer(layer, layer.Type, rewrite.Namespace, layer.Data, append(inputs, m.linear...)...)
	for i := range layer.Outputs {
		if i > 0 {
			product.Outputs = append(product.Outputs, ir.Output{Port: product.Outputs[0].Port + uint64(i), Declared: ir.UnknownRank})
		}
		e.Replace(edit.Source{Layer: layer, Output: i}, edit.Source{Layer: product, Output: i})
	}
}

// RowsOf returns the codes of w as a matrix.
func (e *Editor) RowsOf(layer *ir.Layer, w *Bytes) ir.Input {
	t, err := ir.TensorOf(ir.I8, ir.Shape{w.Outputs, w.Depth}, w.data)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return e.AddConstant(layer, t)
}

// keepRecurrent keeps the weights of a recurrent layer as they are.
func (e *Editor) keepRecurrent(layer *ir.Layer) {
	m := e.FindRecurrent(layer)
	if m == nil {
		return
	}
	scale := e.AddConstant(layer, rewrite.FloatTensor(ir.Shape{m.W.Outputs, 1}, m.W.Scale))
	data := edit.Attributes("transpose_b", "true", "exact", "true")
	product := e.AddLayer(layer, "CompressedMatMul", rewrite.Namespace, data, layer.Inputs[0], e.RowsOf(layer, &m.W), scale)
	bias := e.AddConstant(layer, rewrite.FloatTensor(ir.Shape{m.W.Outputs}, m.Bias))
	e.ReplaceRecurrent(layer, m, e.AddLayer(layer, "Add", "opset1", nil, ir.Input{Source: product}, bias))
}
