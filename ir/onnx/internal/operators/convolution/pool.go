package convolution

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// poolRules returns the rules of pools.
func poolRules() []convert.Rule {
	one := infer.Arity{Min: 1, Max: 1}
	return []convert.Rule{
		{Operator: "AveragePool", Versions: []int{1, 7, 10, 11, 19, 22}, Inputs: one, Outputs: one, Convert: averagePool},
		{Operator: "GlobalAveragePool", Versions: []int{1, 22}, Inputs: one, Outputs: one, Convert: global("ReduceMean")},
		{Operator: "GlobalLpPool", Versions: []int{1, 2, 22}, Inputs: one, Outputs: one, Convert: globalLpPool},
		{Operator: "GlobalMaxPool", Versions: []int{1, 22}, Inputs: one, Outputs: one, Convert: global("ReduceMax")},
		{Operator: "LpPool", Versions: []int{1, 2, 11, 18, 22}, Inputs: one, Outputs: one, Convert: lpPool},
		{Operator: "MaxPool", Versions: []int{1, 8, 10, 11, 12, 22}, Inputs: one, Outputs: infer.Arity{Min: 1, Max: 2}, Convert: maxPool},
	}
}

// global returns a rule's function that reduces all axes from 2 on.
func global(layerType string) func(*convert.Node) []convert.Value {
	return func(n *convert.Node) []convert.Value { return []convert.Value{reduced(n, layerType, n.Input(0))} }
}

// reduced reduces all axes of x from 2 on by a layer.
func reduced(n *convert.Node, layerType string, x convert.Value) convert.Value {
	return n.Layer(layerType, 1, convert.Attributes("keep_dims", true), x, n.AxesFrom(x, 2))
}

// poolWindow returns the window of a pool and its lengths.
func poolWindow(n *convert.Node) (w window, kernel []int64) {
	n.RequireAttribute("kernel_shape")
	kernel = n.IntList("kernel_shape")
	return windowOf(n, len(kernel)), kernel
}

// rounding returns how the number of windows is rounded. With ceil_mode, a window that would start
// in the padding at the end is left out.
func rounding(n *convert.Node) string {
	if n.Bool("ceil_mode", false) {
		return "ceil_torch"
	}
	return "floor"
}

// averagePool computes the mean of each window.
func averagePool(n *convert.Node) []convert.Value {
	return []convert.Value{AveragePool(n, n.Input(0))}
}

// AveragePool adds a layer for the means of windows of v, of the padding too if count_include_pad
// is set, with the attributes of a node that has those of AveragePool.
func AveragePool(n *convert.Node, v convert.Value) convert.Value {
	w, kernel := poolWindow(n)
	all, added := n.Bool("count_include_pad", false), w.stretch(n, v, kernel)
	y := n.Layer("AvgPool", 16, w.attributes("kernel", kernel, "rounding_type", rounding(n), "exclude-pad", !all), v)
	if all && added > 1 { // what was added does not count
		y = arithmetic.Times(n, y, added)
	}
	return y
}

// stretch lengthens the padding at the end where the window is longer than the padded input and
// ceil_mode counts it nevertheless, which the layers refuse. It returns by which factor that makes
// the window longer, in elements that it reads.
func (w *window) stretch(n *convert.Node, v convert.Value, kernel []int64) float64 {
	factor, shape := 1.0, n.Shape(v)
	if !n.Bool("ceil_mode", false) || w.autoPad != "explicit" && w.autoPad != "valid" || shape.Rank() != len(kernel)+2 {
		return factor
	}
	for i, length := range kernel {
		padded := w.padsBegin[i] + shape.At(i+2).Min + w.padsEnd[i]
		missing := w.dilations[i]*(length-1) + 1 - padded
		if shape.At(i+2).IsStatic() && padded > 0 && missing > 0 && missing < w.strides[i] {
			w.autoPad = "explicit"
			w.padsEnd[i] += missing
			factor *= float64(length) / float64((padded-1)/w.dilations[i]+1)
		}
	}
	return factor
}

// MaxPool adds a layer for the largest elements of windows of v, with the attributes of a node that
// has those of MaxPool. Output 1 of the layer has the number of each in the whole of v.
func MaxPool(n *convert.Node, v convert.Value) convert.Value {
	w, kernel := poolWindow(n)
	w.stretch(n, v, kernel)
	attributes := w.attributes("kernel", kernel, "rounding_type", rounding(n), "index_element_type", ir.I64, "axis", 0)
	return n.Layer("MaxPool", 14, attributes, v)
}

// maxPool computes the largest element of each window, and its number in the whole of the input.
func maxPool(n *convert.Node) []convert.Value {
	values := MaxPool(n, n.Input(0))
	if n.Failed() {
		return nil
	}
	indices := values.Output(1)
	if n.Wants(1) && n.Bool("storage_order", false) {
		indices = columnMajor(n, indices, int64(len(n.IntList("kernel_shape"))))
	}
	return []convert.Value{values, indices}
}

// columnMajor returns the numbers of elements as if the first of the given number of axes were the
// one whose neighbours are next to each other. The axes of the batch and of the channels stay.
func columnMajor(n *convert.Node, indices convert.Value, axes int64) convert.Value {
	lengths := make([]convert.Value, axes)
	for i := range axes {
		lengths[i] = arithmetic.Length(n, n.Input(0), i+2)
	}
	coordinates := make([]convert.Value, axes)
	left := indices
	for i := axes - 1; i >= 0; i-- {
		coordinates[i] = n.Layer("FloorMod", 1, nil, left, lengths[i])
		left = arithmetic.Divide(n, left, lengths[i])
	}
	for i := axes - 1; i >= 0; i-- {
		left = arithmetic.Add(n, arithmetic.Multiply(n, left, lengths[i]), coordinates[i])
	}
	return left
}
