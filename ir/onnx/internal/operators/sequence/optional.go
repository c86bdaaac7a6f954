package sequence

import (
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// optional makes an optional of its input; without one, it has no value, and the attribute type
// says of which type that would be.
func optional(n *convert.Node) []convert.Value {
	if n.Has(0) {
		return []convert.Value{n.Input(0)}
	}
	n.RequireAttribute("type")
	return []convert.Value{convert.Empty()}
}

// getElement gives the value of an optional.
func getElement(n *convert.Node) []convert.Value {
	if n.Input(0).IsEmpty() {
		n.Fail("the optional has no value")
	}
	return []convert.Value{n.Input(0)}
}

// hasElement reports whether an optional has a value. What is no optional has one.
func hasElement(n *convert.Node) []convert.Value {
	return []convert.Value{n.ValueOf(n.Has(0) && !n.Input(0).IsEmpty())}
}
