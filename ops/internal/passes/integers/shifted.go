package integers

import (
	"slices"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// replaceShifted replaces the product of the levels of a FakeQuantize and a matrix
// (weights - zero points) * scale, such as one of u8, by one of integers. What i8 cannot hold of
// the weights is added:
//
//	(sum of the row of levels * step + depth*low) * missing * scale
//
// It reports whether it could.
func (e *editor) replaceShifted(matMul *ir.Layer, q *quantization) bool {
	at, multiply := ir.AttributesOf(matMul), rewrite.Producer(matMul.Inputs[1], "Multiply")
	transposed := at.Bool("transpose_b", false)
	if multiply == nil || !rewrite.IsNumpy(multiply) || at.Bool("transpose_a", false) || at.Err() != nil || len(q.low) > 1 ||
		!e.CanInsert("ReduceSum", "opset1") || gemm.HasWords() && e.isRow(matMul.Inputs[0]) {
		return false
	}
	for i := range 2 {
		m, ok := e.matrixOf(multiply.Inputs[i], transposed)
		if !ok || !slices.Equal(e.Lengths(matMul.Inputs[1]), m.bytes.Shape()) {
			continue
		}
		if scale := m.scaleOf(e.Known(multiply.Inputs[1-i])); scale != nil && rewrite.IsFinite(scale) {
			e.multiplyShifted(matMul, q, &m, scale)
			return true
		}
	}
	return false
}

// scaleOf returns the factors that t, which can be nil, has for the columns of m; nil if they
// differ along the depth.
func (m *matrix) scaleOf(t *ir.Tensor) []float64 {
	if t == nil || len(t.Shape()) > 2 {
		return nil
	}
	values, shape := rewrite.FloatsOf(t), t.Shape()
	switch {
	case len(values) == 1:
		return slices.Repeat(values, m.columns)
	case m.transposed && len(shape) == 2 && shape[1] == 1, !m.transposed && len(values) > 0 && len(values) == shape[len(shape)-1]:
		return values
	}
	return nil
}

// multiplyShifted replaces a product by one of levels and m, times a scale for each column.
func (e *editor) multiplyShifted(matMul *ir.Layer, q *quantization, m *matrix, scale []float64) {
	low, step := q.low[0], q.step[0]
	factor, offset, missing := m.sums(), m.sums(), slices.Clone(m.missing)
	for i, s := range scale {
		factor[i] = s * step
		offset[i] *= s * low
		if missing != nil {
			missing[i] *= s
		}
	}
	a, levels := arithmetic{e, matMul, ir.F32}, e.levelsOf(matMul.Inputs[0]).Input()
	y := a.quantizedMatMul(levels, m.bytes, m.transposed, factor, offset)
	e.behind[y.Source] = true
	if missing != nil {
		rows := a.op("Multiply", a.rowSums(levels), a.numbers(step))
		rows = a.op("Add", rows, a.numbers(low*float64(m.depth)))
		y = a.op("Add", y, a.op("Multiply", rows, a.numbers(missing...)))
		e.behind[y.Source] = true
	}
	e.ReplaceLayer(matMul, edit.SourceOf(y))
}
