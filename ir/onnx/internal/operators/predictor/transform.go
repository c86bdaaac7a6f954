package predictor

import (
	"math"

	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// The post transforms.
const (
	none        = "NONE"
	softmax     = "SOFTMAX"
	logistic    = "LOGISTIC"
	softmaxZero = "SOFTMAX_ZERO"
	probit      = "PROBIT"
)

// transforms are in the order of the numbers that TreeEnsemble has for them.
var transforms = []string{none, softmax, logistic, softmaxZero, probit}

// postTransform returns the attribute of that name.
func postTransform(n *convert.Node) string { return n.Enum("post_transform", none, transforms...) }

// transformed returns scores, [rows, columns], after a post transform.
func transformed(n *convert.Node, scores convert.Value, transform string) convert.Value {
	switch transform {
	case softmax:
		return n.Layer("Softmax", 8, convert.Attributes("axis", 1), scores)
	case logistic:
		return n.Layer("Sigmoid", 1, nil, scores)
	case softmaxZero:
		return softmaxOfOthers(n, scores)
	case probit:
		// √2·erfinv(2x-1)
		x := arithmetic.Subtract(n, arithmetic.Times(n, scores, 2), n.Like(scores, 1))
		return arithmetic.Multiply(n, n.Layer("ErfInv", 17, nil, x), n.Like(scores, math.Sqrt2))
	}
	return scores
}

// zero is what counts as 0 for SOFTMAX_ZERO, as in ONNX Runtime.
const zero = 1e-7

// softmaxOfOthers is a softmax of the scores of a row that are not 0, which stay 0. A row of zeros
// gives NaN.
func softmaxOfOthers(n *convert.Node, scores convert.Value) convert.Value {
	other := n.Layer("Greater", 1, nil, n.Layer("Abs", 1, nil, scores), n.Like(scores, zero))
	most := n.Layer("ReduceMax", 1, convert.Attributes("keep_dims", true), scores, n.IntValues(1))
	powers := n.Layer("Exp", 1, nil, arithmetic.Subtract(n, scores, most))
	powers = arithmetic.Multiply(n, powers, n.Convert(other, n.Type(scores)))
	sum := n.Layer("ReduceSum", 1, convert.Attributes("keep_dims", true), powers, n.IntValues(1))
	return arithmetic.Divide(n, powers, sum)
}

// regression returns the output of a regressor. As in ONNX Runtime, a row of one score has no post
// transform but PROBIT.
func regression(n *convert.Node, scores convert.Value, columns int, transform string) convert.Value {
	if columns == 1 && transform != probit {
		return scores
	}
	return transformed(n, scores, transform)
}

// complement says what the score of the first class is if the only score is s, that of the second.
type complement int

const (
	rest     complement = iota // 1-s
	opposite                   // -s
)

// pair returns scores of two classes from one for each row. LOGISTIC makes probabilities of it; the
// others, which ONNX Runtime leaves undefined or ignores, change nothing but PROBIT.
func pair(n *convert.Node, s convert.Value, transform string, c complement) convert.Value {
	switch {
	case transform == logistic:
		return transformed(n, n.Concat(1, n.Layer("Negative", 1, nil, s), s), logistic)
	case transform == probit:
		s = transformed(n, s, probit)
		return n.Concat(1, n.Layer("Negative", 1, nil, s), s)
	case c == opposite:
		return n.Concat(1, n.Layer("Negative", 1, nil, s), s)
	}
	return n.Concat(1, arithmetic.Subtract(n, n.Like(s, 1), s), s)
}

// plus returns scores with a vector of constants added to each row; scores if it is empty.
func plus[T float32 | float64](n *convert.Node, scores convert.Value, what string, values []T, columns int) convert.Value {
	if len(values) == 0 {
		return scores
	}
	if len(values) != 1 && len(values) != columns {
		n.Fail("%s has %d elements for %d columns", what, len(values), columns)
		return scores
	}
	wide := make([]float64, len(values))
	for i, v := range values {
		wide[i] = float64(v)
	}
	return arithmetic.Add(n, scores, numbers(n, n.Type(scores), wide))
}
