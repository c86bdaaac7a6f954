package attention

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// product is what attention computes:
//
//	output = softmax(capped(query * transpose(key) * scale) + bias) * value
//
// where keys that are not allowed have no weight. A query without any key gives 0.
type product struct {
	query, key, value convert.Value // [batch, heads, rows, size], with the same number of heads
	// scale is 1/sqrt(size) if it is 0, and softcap is not applied if it is 0.
	scale, softcap float64
	// allowed is boolean, and bias of the type of query; both broadcast to the scores. They can be
	// absent.
	allowed, bias convert.Value
	// causal allows query i the keys up to number i. There is no allowed, and no bias then.
	causal bool
	// excludesRows means that allowed or bias may leave a query without any key.
	excludesRows bool
	// precision is the type that the softmax is computed in if it is a layer of its own; Dynamic
	// for that of query.
	precision ir.ElementType
	// sink has one more term for the sum of the softmax, [1, heads, 1, 1]; it can be absent.
	sink convert.Value
}

func isBoolean(n *convert.Node, v convert.Value) bool { return n.Type(v) == ir.Boolean }

// mask adds a mask of ONNX: booleans that are true for what is allowed, or what is added.
func (p *product) mask(n *convert.Node, mask convert.Value) {
	switch {
	case mask.Absent():
		return
	case isBoolean(n, mask):
		p.allow(n, mask)
	default:
		p.add(n, n.Convert(mask, n.Type(p.query)))
	}
	p.excludesRows = true
}

// allow excludes keys that allowed does not have.
func (p *product) allow(n *convert.Node, allowed convert.Value) {
	if !p.allowed.Absent() {
		allowed = n.Layer("LogicalAnd", 1, nil, p.allowed, allowed)
	}
	p.allowed = allowed
}

// add adds a bias.
func (p *product) add(n *convert.Node, bias convert.Value) {
	if !p.bias.Absent() {
		bias = arithmetic.Add(n, p.bias, bias)
	}
	p.bias = bias
}

// columns returns the numbers of the keys.
func (p *product) columns(n *convert.Node) convert.Value {
	return arithmetic.Range(n, arithmetic.Lengths(n, p.key, 2), ir.I64)
}

// places returns the places of the queries among the keys: from offset on, which broadcasts to the
// scores.
func (p *product) places(n *convert.Node, offset convert.Value) convert.Value {
	return arithmetic.Add(n, n.Unsqueeze(arithmetic.Range(n, arithmetic.Lengths(n, p.query, 2), ir.I64), 1), offset)
}

// window allows queries at places the keys from left before it to right behind it. A negative
// number is no limit.
func (p *product) window(n *convert.Node, places convert.Value, left, right int64) {
	if left < 0 && right < 0 {
		return
	}
	columns := p.columns(n)
	shifted := func(by int64) convert.Value {
		if by == 0 {
			return places
		}
		return arithmetic.Add(n, places, n.IntValue(by))
	}
	if left >= 0 {
		p.allow(n, n.Layer("GreaterEqual", 1, nil, columns, shifted(-left)))
	}
	if right >= 0 {
		p.allow(n, n.Layer("LessEqual", 1, nil, columns, shifted(right)))
	}
}

// attend adds the layers, and returns the output and, if they are wanted, the scores in the state
// that mode says: 0 is the scaled product, 1 is capped, 2 has the mask, and 3 is the softmax.
func (p *product) attend(n *convert.Node, mode int64, wantsScores bool) (output, scores convert.Value) {
	if mode < 0 || mode > 3 {
		n.Fail("attribute qk_matmul_output_mode is %d, expected 0 to 3", mode)
	}
	if wantsScores || p.softcap != 0 {
		return p.steps(n, mode)
	}
	output = n.Layer("ScaledDotProductAttention", 13, convert.Attributes("causal", p.causal), p.inputs(n)...)
	if p.excludesRows {
		output = arithmetic.Select(n, p.hasKeys(n), output, n.Like(output, 0))
	}
	return output, convert.Value{}
}

// inputs returns the inputs of ScaledDotProductAttention.
func (p *product) inputs(n *convert.Node) []convert.Value {
	inputs := []convert.Value{p.query, p.key, p.value}
	mask, hasSink := p.combined(n), !p.sink.Absent()
	if mask.Absent() && p.scale == 0 && !hasSink {
		return inputs
	}
	if mask.Absent() {
		mask = n.Like(p.query, 0)
	}
	if inputs = append(inputs, mask); p.scale == 0 && !hasSink {
		return inputs
	}
	if inputs = append(inputs, p.factor(n)); hasSink {
		inputs = append(inputs, p.sink)
	}
	return inputs
}

// combined returns allowed and bias as one mask of at least two axes; absent if there is none.
func (p *product) combined(n *convert.Node) convert.Value {
	switch {
	case p.allowed.Absent() && p.bias.Absent():
		return convert.Value{}
	case p.bias.Absent():
		return twoAxes(n, "LogicalAnd", p.allowed, n.ValueOf([]bool{true}, 1, 1))
	case p.allowed.Absent():
		return twoAxes(n, "Add", p.bias, n.Unsqueeze(n.Like(p.bias, 0), 0, 1))
	}
	both := arithmetic.Select(n, p.allowed, p.bias, n.Like(p.bias, math.Inf(-1)))
	return twoAxes(n, "Add", both, n.Unsqueeze(n.Like(both, 0), 0, 1))
}

// twoAxes returns a mask that may have less than two axes with two. neutral does not change it.
func twoAxes(n *convert.Node, layerType string, mask, neutral convert.Value) convert.Value {
	if n.Rank(mask) >= 2 {
		return mask
	}
	return n.Layer(layerType, 1, nil, mask, neutral)
}

// hasKeys returns whether each query has a key, in a shape that broadcasts to the output. It asks
// each element: of infinities only, OpenVINO's CPU plugin takes the smallest finite number as the
// largest element.
func (p *product) hasKeys(n *convert.Node) convert.Value {
	mask := p.combined(n)
	if !isBoolean(n, mask) {
		mask = n.Layer("Greater", 1, nil, mask, n.Like(mask, math.Inf(-1)))
	}
	return n.Layer("ReduceLogicalOr", 1, convert.Attributes("keep_dims", true), mask, n.IntValue(-1))
}

// factor returns the scale.
func (p *product) factor(n *convert.Node) convert.Value {
	if p.scale != 0 {
		return n.Like(p.query, p.scale)
	}
	return rootScale(n, p.query)
}

// rootScale returns 1/sqrt of the length of the last axis of v, of the type of v.
func rootScale(n *convert.Node, v convert.Value) convert.Value {
	size := n.Convert(arithmetic.Gather(n, n.ShapeOf(v), n.IntValue(-1), 0), ir.F32)
	one := n.Scalar(ir.F32, 1)
	return n.Convert(arithmetic.Divide(n, one, n.Layer("Sqrt", 1, nil, size)), n.Type(v))
}

// scores returns the scaled product of query and key.
func (p *product) scores(n *convert.Node) convert.Value {
	return arithmetic.MatMul(n, arithmetic.Multiply(n, p.query, p.factor(n)), p.key, false, true)
}

// steps computes the attention by a layer for each step.
func (p *product) steps(n *convert.Node, mode int64) (output, scores convert.Value) {
	if p.causal {
		p.window(n, p.places(n, n.IntValue(0)), -1, 0)
	}
	x := p.scores(n)
	states := []convert.Value{x}
	if p.softcap != 0 {
		limit := n.Like(x, p.softcap)
		x = arithmetic.Multiply(n, n.Layer("Tanh", 1, nil, arithmetic.Divide(n, x, limit)), limit)
	}
	states = append(states, x)
	if !p.bias.Absent() {
		x = arithmetic.Add(n, x, p.bias)
	}
	if !p.allowed.Absent() {
		x = arithmetic.Select(n, p.allowed, x, n.Like(x, math.Inf(-1)))
	}
	states = append(states, x)
	if x = p.softmax(n, x); p.excludesRows {
		x = arithmetic.Select(n, p.hasKeys(n), x, n.Like(x, 0))
	}
	states = append(states, x)
	output = arithmetic.MatMul(n, x, p.value, false, false)
	if n.Failed() {
		return output, convert.Value{}
	}
	return output, states[mode]
}

// softmax returns the weights of the keys. A sink is a further column that is cut off.
func (p *product) softmax(n *convert.Node, x convert.Value) convert.Value {
	t := n.Type(x)
	if p.precision != ir.Dynamic {
		x = n.Convert(x, p.precision)
	}
	if p.sink.Absent() {
		return n.Convert(n.Layer("Softmax", 8, convert.Attributes("axis", -1), x), t)
	}
	shape := n.Concat(0, n.Slice(n.ShapeOf(x), 0, 0, 3), n.IntValues(1))
	column := arithmetic.Broadcast(n, n.Convert(p.sink, n.Type(x)), shape)
	x = n.Layer("Softmax", 8, convert.Attributes("axis", -1), n.Concat(3, x, column))
	return n.Convert(n.Slice(x, 3, 0, -1), t)
}
