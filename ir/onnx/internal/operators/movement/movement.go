// Package movement converts operators that give the elements of a tensor another shape, order or
// number: Reshape, Transpose, Concat, Split, Slice, Pad and the like.
//
// Many have attributes in old versions that became inputs in newer ones, whose values are then
// known only when the model runs: see ints.
package movement

import (
	"slices"

	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	return slices.Concat(reshapeRules(), joinRules(), sliceRules(), padRules(), microsoftRules())
}

// count returns the arity of exactly n.
func count(n int) infer.Arity { return infer.Arity{Min: n, Max: n} }

// between returns an arity.
func between(least, most int) infer.Arity { return infer.Arity{Min: least, Max: most} }

// newAxes are the versions since 13 of operators whose changes since then are only types.
func newAxes(versions ...int) []int { return append(versions, 21, 23, 24, 25) }

// ints returns integers that were an attribute before a version and are an input since then; absent
// if the node has neither.
func ints(n *convert.Node, attribute string, input, since int) convert.Value {
	if n.Version >= since {
		return n.Input(input)
	}
	if !n.HasAttribute(attribute) {
		return convert.Value{}
	}
	return n.IntValues(n.IntList(attribute)...)
}
