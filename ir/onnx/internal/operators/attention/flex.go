package attention

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// flexAttention is attention whose scores and weights graphs in attributes change.
func flexAttention(n *convert.Node) []convert.Value {
	query, value := n.Input(0), n.Input(2)
	p := &product{query: query, key: repeated(n, n.Input(1), query), value: repeated(n, value, query), scale: float64(n.Float("scale", 0))}
	if !n.HasAttribute("score_mod") && !n.HasAttribute("prob_mod") {
		output, _ := p.attend(n, 0, false)
		return []convert.Value{output}
	}
	t := n.Type(query)
	precision := ir.F32
	if t == ir.F64 {
		precision = t
	}
	precision = n.ElementType("softmax_precision", precision)
	x := n.Convert(p.scores(n), precision)
	x = changed(n, "score_mod", x)
	x = n.Layer("Softmax", 8, convert.Attributes("axis", -1), x)
	x = n.Convert(changed(n, "prob_mod", x), t)
	return []convert.Value{arithmetic.MatMul(n, x, p.value, false, false)}
}

// changed returns what the graph in an attribute, if there is one, makes of x.
func changed(n *convert.Node, attribute string, x convert.Value) convert.Value {
	if !n.HasAttribute(attribute) {
		return x
	}
	outputs := n.Graph(attribute, 1, nil, x)
	if n.Failed() {
		return convert.Value{}
	}
	return outputs[0]
}
