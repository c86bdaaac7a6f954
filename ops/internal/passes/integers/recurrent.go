package integers

import (
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// multiplyRecurrent computes the product of X and W of a recurrent layer in integers if X is
// quantized. It notes why not.
func (e *editor) multiplyRecurrent(layer *ir.Layer) {
	q, quantized := e.quantization(layer.Inputs[0])
	m := e.FindRecurrent(layer)
	switch {
	case m == nil && !quantized:
		return
	case m == nil:
		e.Explain(layer, "the data is quantized, but the weights are not i8 with a scale for each row")
		return
	case !quantized || len(q.low) > 1:
		e.Explain(layer, "the data is not quantized; the weights stay in 8 bits, and their products are those of floats")
		return
	case gemm.HasWords() || !gemm.IsBytes(m.W.Depth) || !e.CanInsert("QuantizedMatMul", rewrite.Namespace):
		e.Explain(layer, "the state is not quantized; the weights stay in 8 bits, but products in integers would widen them to 16")
		return
	}
	scale, offset := m.W.Combine(q.low, q.step)
	for i, v := range m.Bias {
		offset[i] += v
	}
	if !rewrite.IsFinite(scale) || !rewrite.IsFinite(offset) {
		e.Explain(layer, "a scale is not finite")
		return
	}
	e.Explain(layer, "the state is not quantized; the product of its data is computed in integers, that of its state with weights of 8 bits in floats")
	shape := ir.Shape{len(scale)}
	data := edit.Attributes("transpose_b", "true")
	e.ReplaceRecurrent(layer, m, e.AddLayer(layer, "QuantizedMatMul", rewrite.Namespace, data,
		e.levelsOf(layer.Inputs[0]).Input(), e.RowsOf(layer, &m.W), e.AddConstant(layer, rewrite.FloatTensor(shape, scale)), e.AddConstant(layer, rewrite.FloatTensor(shape, offset))))
}
