package integers

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops/internal/passes/attention"
)

// attentionOf returns the inputs of a ScaledDotProductAttention, or why it is not computed in
// integers.
func (e *editor) attentionOf(layer *ir.Layer) (a attention.Attention, reason string) {
	in := layer.Inputs
	a = attention.Attention{Query: in[0], Key: in[1], Value: in[2]}
	if len(in) > 3 {
		a.Mask = &in[3]
	}
	if len(in) > 5 {
		return a, "attention with a sink has no kernel for integers"
	}
	if query := e.Fact(in[0]).Shape; query.RankKnown() && query.Rank() > 0 {
		a.Scale = 1 / math.Sqrt(float64(query.At(query.Rank()-1).Max))
	}
	if len(in) > 4 {
		t := e.Known(in[4])
		if t == nil || t.Len() != 1 || t.ElementType() != ir.F32 {
			return a, "the scale is not constant"
		}
		a.Scale = float64(ir.Data[float32](t)[0])
	}
	return a, ""
}

// replaceAttention replaces attention whose query and key are quantized by a QuantizedAttention, if
// it can, which reason says otherwise:
//
//	softmax(query*transpose(key)*scale + mask) = softmax((m-128)*transpose(n)*scale' + mask)
//
// for their levels m and n. What differs is the same for all scores of a row: the sum of query
// times the lowest number of key.
func (e *editor) replaceAttention(layer *ir.Layer, a *attention.Attention, reason string) {
	q, isQuery := e.quantization(a.Query)
	k, isKey := e.quantization(a.Key)
	if !isQuery && !isKey {
		return
	}
	scale := 0.0
	switch {
	case reason != "":
	case !e.attention:
		reason = "products in integers are hardly faster than in f32"
	case !isQuery || !isKey || len(q.low) > 1 || len(k.low) > 1:
		reason = "query and key are not both quantized to levels of one step"
	default:
		reason = e.whyNotAttention(a, &q)
		if scale = a.Scale * q.step[0] * k.step[0]; reason == "" && !rewrite.IsFinite([]float64{scale}) {
			reason = "a scale is not finite"
		}
	}
	if reason != "" {
		e.Explain(layer, reason)
		return
	}
	levels := *a
	levels.Key = e.levelsOf(a.Key).Input()
	inputs := []ir.Input{e.levelsOf(a.Query).Input(), levels.Keys(e.Editor.Editor), a.Value}
	if a.Mask != nil {
		inputs = append(inputs, *a.Mask)
	} else {
		inputs = append(inputs, e.addNumber(layer, 0))
	}
	data := layer.Data
	if a.Product != nil {
		data = edit.Attributes("causal", "false")
	}
	by := e.AddLayer(layer, "QuantizedAttention", rewrite.Namespace, data, append(inputs, e.addNumber(layer, scale))...)
	e.ReplaceLayer(layer, edit.First(by))
}

// whyNotAttention returns why an attention with a query of levels is not computed in integers; ""
// if it is.
func (e *editor) whyNotAttention(a *attention.Attention, q *quantization) string {
	query, key := e.Fact(a.Query).Shape, e.Fact(a.Key).Shape
	if !query.RankKnown() || !key.RankKnown() || query.Rank() < 3 || key.Rank() < 3 {
		return "the shapes of query and key are not known"
	}
	last := key.Rank() - 1
	if a.Order != nil {
		last = int(a.Order[last])
	}
	if zero, ok := q.zero(); !ok || zero != 128 {
		return "level 128 of query is not zero"
	}
	if depth := query.At(query.Rank() - 1); !depth.IsStatic() || depth != key.At(last) || !gemm.IsBytes(int(depth.Max)) {
		return "the number of products that are summed is no multiple of 4, or too large"
	}
	return ""
}

// isOfActivations reports whether layer is a product of two matrices that are not constant.
func (e *editor) isOfActivations(layer *ir.Layer) bool {
	return layer.Type == "MatMul" && gemm.QuadsPay() && e.CanInsert("QuantizedProduct", rewrite.Namespace) &&
		!slices.ContainsFunc(layer.Inputs, func(in ir.Input) bool { return e.IsConstant(in.Source, 5) })
}

// replaceProductOfActivations replaces a product by a QuantizedProduct, if it can. If only one of
// the matrices is quantized, or if it cannot, it notes why.
func (e *editor) replaceProductOfActivations(layer *ir.Layer) {
	a, isA := e.quantization(layer.Inputs[0])
	b, isB := e.quantization(layer.Inputs[1])
	if !isA && !isB {
		return
	}
	var scale, zeroA, zeroB float64
	reason := "the two matrices are not both quantized to levels of one step"
	if isA && isB && len(a.low) == 1 && len(b.low) == 1 {
		scale, zeroA, zeroB = a.step[0]*b.step[0], -a.low[0]/a.step[0], -b.low[0]/b.step[0]
		switch {
		case !rewrite.IsFinite([]float64{scale}):
			reason = "a scale is not finite"
		case !(math.Abs(zeroA) <= gemm.MaxLevelZero && math.Abs(zeroB) <= gemm.MaxLevelZero):
			// NaN too
			reason = "zero is far from the levels"
		case !gemm.LevelsPay(e.lengthsOfProduct(layer)):
			reason = "products of small matrices take less time in f32, and those of very large ones may not fit 32 bits"
		default:
			reason = ""
		}
	}
	if reason != "" {
		e.Explain(layer, reason)
		return
	}
	inputs := []ir.Input{e.levelsOf(layer.Inputs[0]).Input(), e.levelsOf(layer.Inputs[1]).Input()}
	for _, v := range []float64{scale, zeroA, zeroB} {
		inputs = append(inputs, e.addNumber(layer, v))
	}
	e.ReplaceLayer(layer, edit.First(e.AddLayer(layer, "QuantizedProduct", rewrite.Namespace, layer.Data, inputs...)))
}

// lengthsOfProduct returns the numbers of rows, of columns and of products that are summed of a
// MatMul. Lengths that are not known are large enough for LevelsPay; the kernel decides when they
// are.
func (e *editor) lengthsOfProduct(layer *ir.Layer) (m, n, depth int) {
	at := ir.AttributesOf(layer)
	length := func(i int, transposed bool) (rows, columns int) {
		const unknown = 1 << 10
		shape := e.Fact(layer.Inputs[i]).Shape
		if !shape.RankKnown() {
			return unknown, unknown
		}
		lengths := [2]int{1, unknown}
		for k, rank := 0, shape.Rank(); k < min(rank, 2); k++ {
			lengths[1-k] = unknown
			if d := shape.At(rank - 1 - k); d.IsStatic() {
				lengths[1-k] = int(d.Max)
			}
		}
		if transposed && shape.Rank() > 1 || shape.Rank() == 1 && i == 1 {
			lengths[0], lengths[1] = lengths[1], lengths[0]
		}
		return lengths[0], lengths[1]
	}
	m, depth = length(0, at.Bool("transpose_a", false))
	_, n = length(1, at.Bool("transpose_b", false))
	return m, n, depth
}
