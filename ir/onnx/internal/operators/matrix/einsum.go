package matrix

import (
	"slices"
	"strings"

	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// einsum sums products of elements by an equation. The layer takes none with spaces, and does not
// drop letters that occur twice in one input if no output is named.
func einsum(n *convert.Node) []convert.Value {
	n.RequireAttribute("equation")
	equation := strings.ReplaceAll(n.Text("equation", ""), " ", "")
	if !strings.Contains(equation, "->") {
		equation += "->" + implicitOutput(equation)
	}
	return []convert.Value{n.Layer("Einsum", 7, convert.Attributes("equation", equation), n.Inputs()...)}
}

// implicitOutput returns the output of an equation that does not name it: the ellipsis and then, in
// their order, the letters that occur once.
func implicitOutput(equation string) string {
	ellipsis, letters := "", []byte(nil)
	if strings.Contains(equation, "...") {
		ellipsis = "..."
	}
	for _, c := range []byte(equation) {
		if c != '.' && c != ',' && strings.Count(equation, string(c)) == 1 {
			letters = append(letters, c)
		}
	}
	slices.Sort(letters)
	return ellipsis + string(letters)
}
