// Package attention has the passes that recognise attention, and that let states grow where
// attention reads them.
package attention

import (
	"github.com/vinoir/vinoir/internal/rewrite"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// RecogniseAttention replaces attention that a model computes with several layers by one
// ScaledDotProductAttention:
//
//	MatMul(Softmax(MatMul(query, key, transpose_b) * scale + mask), value)
//
// The scale and the mask may be missing. A Transpose may transpose key instead of the MatMul.
func RecogniseAttention(g *ops.Graph) bool {
	e := &editor{rewrite.NewEditor(g)}
	found := Find(e.Editor)
	for _, layer := range g.Model.Order {
		a, ok := found[layer]
		if !ok {
			continue
		}
		scale, err := ir.TensorOf(ir.F32, ir.Shape{}, []float32{float32(a.Scale)})
		if err != nil {
			continue
		}
		inputs := []ir.Input{a.Query, a.Keys(e.Editor), a.Value}
		if a.Mask != nil {
			inputs = append(inputs, *a.Mask)
		} else {
			zero, err := ir.NewTensor(ir.F32)
			if err != nil {
				continue
			}
			inputs = append(inputs, e.AddConstant(layer, zero))
		}
		by := e.AddLayer(layer, "ScaledDotProductAttention", "opset13", edit.Attributes("causal", "false"),
			append(inputs, e.AddConstant(layer, scale))...)
		e.ReplaceLayer(layer, edit.First(by))
	}
	return e.Done()
}

// editor is an editor with the patterns of attention.
type editor struct{ *rewrite.Editor }

// Attention holds the inputs of an attention. mask is nil if there is no mask. order, if not nil,
// is the order of axes that key must be transposed by. product computes the scores of an attention
// that RecogniseAttention finds.
type Attention struct {
	Query, Key, Value ir.Input
	Mask              *ir.Input
	Scale             float64
	Order             []int64
	Product           *ir.Layer
}

// Find returns what RecogniseAttention finds, by the layers that compute the results.
func Find(in *rewrite.Editor) map[*ir.Layer]Attention {
	e, found := editor{in}, map[*ir.Layer]Attention{}
	if !e.Has("Softmax", "SoftMax") || !e.CanInsert("ScaledDotProductAttention", "opset13") || !e.CanInsert("Transpose", "opset1") {
		return found
	}
	for _, layer := range e.Graph.Model.Order {
		if layer.Type == "MatMul" && e.IsFloat32(ir.Input{Source: layer}) && transposes(layer, false, false) {
			if a, ok := e.attention(layer); ok {
				found[layer] = a
			}
		}
	}
	return found
}

// transposes reports whether the attributes transpose_a and transpose_b of a MatMul are a and b.
func transposes(matMul *ir.Layer, a, b bool) bool {
	attributes := ir.AttributesOf(matMul)
	return attributes.Bool("transpose_a", false) == a && attributes.Bool("transpose_b", false) == b
}

// attention matches the MatMul that computes the result of an attention.
func (e *editor) attention(layer *ir.Layer) (a Attention, ok bool) {
	weights := rewrite.Producer(layer.Inputs[0], "Softmax", "SoftMax")
	if weights == nil || !e.HasOneReader(weights) || !e.isLastAxis(weights) {
		return a, false
	}
	scores := weights.Inputs[0]
	if sum := rewrite.Producer(scores, "Add"); sum != nil && e.HasOneReader(sum) {
		for i := range 2 {
			if _, _, ok := e.scores(sum.Inputs[i]); ok && e.isMask(sum.Inputs[1-i], sum) {
				scores, a.Mask = sum.Inputs[i], &sum.Inputs[1-i]
				break
			}
		}
	}
	product, scale, ok := e.scores(scores)
	if !ok || !e.HasRank(product.Inputs[0], 3) || !e.HasRank(product.Inputs[1], 3) || !e.HasRank(layer.Inputs[1], 3) {
		return a, false
	}
	a.Product, a.Query, a.Key, a.Value, a.Scale = product, product.Inputs[0], product.Inputs[1], layer.Inputs[1], scale
	if transposes(product, false, true) {
		return a, true
	}
	transpose := rewrite.Producer(a.Key, "Transpose")
	if transpose == nil || !transposes(product, false, false) {
		return a, false
	}
	if a.Order = e.Order(transpose); len(a.Order) < 3 {
		return a, false
	}
	n := len(a.Order)
	a.Order[n-1], a.Order[n-2] = a.Order[n-2], a.Order[n-1]
	a.Key = transpose.Inputs[0]
	return a, true
}

// scores matches a product of query and key with one reader, which may be scaled by a scalar.
func (e *editor) scores(in ir.Input) (product *ir.Layer, scale float64, ok bool) {
	if product = rewrite.Producer(in, "MatMul"); product != nil {
		return product, 1, e.HasOneReader(product)
	}
	inner, scale, ok := e.Scaled(in)
	if !ok || !e.HasOneReader(in.Source) {
		return nil, 0, false
	}
	product = rewrite.Producer(inner, "MatMul")
	return product, scale, product != nil && e.HasOneReader(product)
}

// isMask reports whether in, an input of sum, can be a mask: it is float32, its rank is not 1, and
// it broadcasts to the other input, which has the shape of sum.
func (e *editor) isMask(in ir.Input, sum *ir.Layer) bool {
	mask, all := e.Fact(in).Shape, e.Fact(ir.Input{Source: sum}).Shape
	if e.Fact(in).Type != ir.F32 || !mask.RankKnown() || !all.RankKnown() || mask.Rank() == 1 || mask.Rank() > all.Rank() {
		return false
	}
	for i := range 2 {
		if !rewrite.IsSame(sum.Inputs[i], in) {
			return e.Fact(sum.Inputs[i]).Shape.String() == all.String() && broadcastsTo(mask, all)
		}
	}
	return false
}

// broadcastsTo reports whether mask is known to broadcast to all: each of its lengths is 1, or is
// static and equal to that of all.
func broadcastsTo(mask, all ir.PartialShape) bool {
	skip := all.Rank() - mask.Rank()
	for i, d := range mask.Dims() {
		if d != ir.Dim(1) && (d.IsDynamic() || d != all.At(skip+i)) {
			// Two unknown lengths may differ when the model runs. One of them would be 1.
			return false
		}
	}
	return true
}

// isLastAxis reports whether a Softmax normalises the last axis.
func (e *editor) isLastAxis(softmax *ir.Layer) bool {
	shape := e.Fact(softmax.Inputs[0]).Shape
	axis := ir.AttributesOf(softmax).Int("axis", 1)
	return axis == -1 || shape.RankKnown() && axis == int64(shape.Rank()-1)
}

// Keys returns key with the axes in the order of ScaledDotProductAttention. It adds a Transpose if
// order is not the identity.
func (a *Attention) Keys(e *rewrite.Editor) ir.Input {
	if a.Order == nil || rewrite.IsIdentity(a.Order) {
		return a.Key
	}
	return ir.Input{Source: e.AddLayer(a.Product, "Transpose", "opset1", nil, a.Key, e.AddInts(a.Product, a.Order))}
}
