package convolution

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// fusedRules returns the rules of ONNX Runtime's own convolutions.
func fusedRules() []convert.Rule {
	one := infer.Arity{Min: 1, Max: 1}
	return []convert.Rule{
		{Domain: "com.microsoft", Operator: "ConvTransposeWithDynamicPads", Versions: []int{1}, Inputs: infer.Arity{Min: 2, Max: 4}, Outputs: one, Convert: convTransposePads},
		{Domain: "com.microsoft", Operator: "FusedConv", Versions: []int{1}, Inputs: infer.Arity{Min: 2, Max: 4}, Outputs: one, Convert: fusedConv},
		{Domain: "com.microsoft", Operator: "MaxpoolWithMask", Versions: []int{1}, Inputs: infer.Arity{Min: 2, Max: 2}, Outputs: one, Convert: maxPoolMasked},
	}
}

// fusedConv is a convolution, to which the fourth input is added, and an activation function.
func fusedConv(n *convert.Node) []convert.Value {
	result := conv(n)
	if n.Failed() {
		return nil
	}
	if n.Has(3) {
		result[0] = arithmetic.Add(n, result[0], n.Input(3))
	}
	function, want := arithmetic.NewActivation(n, n.Text("activation", ""))
	parameters := n.FloatList("activation_params")
	switch {
	case len(parameters) != want:
		n.Fail("attribute activation_params has %d numbers, %s requires %d", len(parameters), function.Name, want)
	case want == 2:
		function.Alpha, function.Beta = parameters[0], parameters[1]
	case want == 1:
		function.Alpha = parameters[0]
	}
	return []convert.Value{function.Apply(n, result[0])}
}

// convTransposePads is convTranspose whose padding is an input: what it cuts off the result, first
// at the start of all axes, then at their ends.
func convTransposePads(n *convert.Node) []convert.Value {
	axes, groups := windowAxes(n, n.Input(0), n.Input(1)), groupsOf(n)
	w := windowOf(n, axes)
	layerType, weights := "ConvolutionBackpropData", n.Input(1)
	if groups > 1 {
		layerType, weights = "GroupConvolutionBackpropData", grouped(n, weights, groups)
	}
	attributes := w.attributes("output_padding", n.IntsOf("output_padding", axes, 0))
	result := n.Layer(layerType, 1, attributes, n.Input(0), weights)
	if n.Has(2) {
		cut := arithmetic.Times(n, n.Convert(n.Input(2), ir.I64), -1)
		zeros := n.IntValues(0, 0)
		begins := n.Concat(0, zeros, n.Slice(cut, 0, 0, int64(axes)))
		ends := n.Concat(0, zeros, n.Slice(cut, 0, int64(axes), int64(2*axes)))
		result = arithmetic.Pad(n, result, begins, ends, arithmetic.Zero(n, result))
	}
	return []convert.Value{biased(n, result, n.Input(3), axes)}
}
