package passes

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// RecogniseAttention replaces attention that a model computes with several layers by one
// ScaledDotProductAttention:
//
//	MatMul(Softmax(MatMul(query, key, transpose_b) * scale + mask), value)
//
// The scale and the mask may be missing. A Transpose may transpose key instead of the MatMul.
var RecogniseAttention = Pass{"RecogniseAttention", recogniseAttention}

func recogniseAttention(g *Graph) bool {
	e := newEditor(g)
	found := e.attentions()
	for _, layer := range g.Model.Order {
		a, ok := found[layer]
		if !ok {
			continue
		}
		scale, err := ir.TensorOf(ir.F32, ir.Shape{}, []float32{float32(a.scale)})
		if err != nil {
			continue
		}
		inputs := []ir.Input{a.query, a.keys(e), a.value}
		if a.mask != nil {
			inputs = append(inputs, *a.mask)
		} else {
			zero, err := ir.NewTensor(ir.F32)
			if err != nil {
				continue
			}
			inputs = append(inputs, e.constant(layer, zero))
		}
		by := e.insert(layer, "ScaledDotProductAttention", "opset13", edit.Attributes("causal", "false"),
			append(inputs, e.constant(layer, scale))...)
		e.replace(layer, edit.First(by))
	}
	return e.done()
}

// attention holds the inputs of an attention. mask is nil if there is no mask. order, if not nil, is the order of axes that key must be transposed
// by. product computes the scores of an attention that RecogniseAttention finds.
type attention struct {
	query, key, value ir.Input
	mask              *ir.Input
	scale             float64
	order             []int64
	product           *ir.Layer
}

// attentions returns what RecogniseAttention finds, by the layers that compute the results.
func (e *editor) attentions() map[*ir.Layer]attention {
	found := map[*ir.Layer]attention{}
	if !e.has("Softmax", "SoftMax") || !e.canInsert("ScaledDotProductAttention", "opset13") || !e.canInsert("Transpose", "opset1") {
		return found
	}
	for _, layer := range e.Graph.Model.Order {
		if layer.Type == "MatMul" && e.isFloat32(ir.Input{Source: layer}) && transposes(layer, false, false) {
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
func (e *editor) attention(layer *ir.Layer) (a attention, ok bool) {
	weights := producer(layer.Inputs[0], "Softmax", "SoftMax")
	if weights == nil || !e.hasOneReader(weights) || !e.isLastAxis(weights) {
		return a, false
	}
	scores := weights.Inputs[0]
	if sum := producer(scores, "Add"); sum != nil && e.hasOneReader(sum) {
		for i := range 2 {
			if _, _, ok := e.scores(sum.Inputs[i]); ok && e.isMask(sum.Inputs[1-i], sum) {
				scores, a.mask = sum.Inputs[i], &sum.Inputs[1-i]
				break
			}
		}
	}
	product, scale, ok := e.scores(scores)
	if !ok || !e.hasRank(product.Inputs[0], 3) || !e.hasRank(product.Inputs[1], 3) || !e.hasRank(layer.Inputs[1], 3) {
		return a, false
	}
	a.product, a.query, a.key, a.value, a.scale = product, product.Inputs[0], product.Inputs[1], layer.Inputs[1], scale
	if transposes(product, false, true) {
		return a, true
	}
	transpose := producer(a.key, "Transpose")
	if transpose == nil || !transposes(product, false, false) {
		return a, false
	}
	if a.order = e.order(transpose); len(a.order) < 3 {
		return a, false
	}
	n := len(a.order)
	a.order[n-1], a.order[n-2] = a.order[n-2], a.order[n-1]
	a.key = transpose.Inputs[0]
	return a, true
}

// scores matches a product of query and key with one reader, which may be scaled by a scalar.
func (e *editor) scores(in ir.Input) (product *ir.Layer, scale float64, ok bool) {
	if product = producer(in, "MatMul"); product != nil {
		return product, 1, e.hasOneReader(product)
	}
	inner, scale, ok := e.scaled(in)
	if !ok || !e.hasOneReader(in.Source) {
		return nil, 0, false
	}
	product = producer(inner, "MatMul")
	return product, scale, product != nil && e.hasOneReader(product)
}

// isMask reports whether in, an input of sum, can be a mask: it is float32, its rank is not 1, and it
// broadcasts to the other input, which has the shape of sum.
func (e *editor) isMask(in ir.Input, sum *ir.Layer) bool {
	mask, all := e.fact(in).Shape, e.fact(ir.Input{Source: sum}).Shape
	if e.fact(in).Type != ir.F32 || !mask.RankKnown() || !all.RankKnown() || mask.Rank() == 1 || mask.Rank() > all.Rank() {
		return false
	}
	for i := range 2 {
		if !isSame(sum.Inputs[i], in) {
			return e.fact(sum.Inputs[i]).Shape.String() == all.String() && broadcastsTo(mask, all)
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
	shape := e.fact(softmax.Inputs[0]).Shape
	axis := ir.AttributesOf(softmax).Int("axis", 1)
	return axis == -1 || shape.RankKnown() && axis == int64(shape.Rank()-1)
}

// keys returns key with the axes in the order of ScaledDotProductAttention. It adds a Transpose if
// order is not the identity.
func (a *attention) keys(e *editor) ir.Input {
	if a.order == nil || isIdentity(a.order) {
		return a.key
	}
	return ir.Input{Source: e.insert(a.product, "Transpose", "opset1", nil, a.key, e.ints(a.product, a.order))}
}

// order returns a copy of the order of axes of a Transpose. It is nil if the order is not constant,
// and empty if the Transpose reverses the axes by default.
func (e *editor) order(transpose *ir.Layer) []int64 { return e.integers(transpose.Inputs[1]) }

// isIdentity reports whether order keeps all axes in place.
func isIdentity(order []int64) bool {
	for i, axis := range order {
		if axis != int64(i) {
			return false
		}
	}
	return true
}
