package convolution

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// maxMaskedColumns limits the columns of a window, each of which costs a few layers.
const maxMaskedColumns = 256

// maxPoolMasked is MaxPool with a mask: of each row of a window, the elements before the first one
// whose mask is 0 count. The first element of the image always does. ONNX Runtime reads the mask of
// other planes than the first one at a wrong place.
func maxPoolMasked(n *convert.Node) []convert.Value {
	n.RequireAttribute("kernel_shape")
	kernel := n.IntList("kernel_shape")
	if len(kernel) == 0 || kernel[len(kernel)-1] < 1 || kernel[len(kernel)-1] > maxMaskedColumns {
		n.Fail("attribute kernel_shape is %v, expected 1 to %d columns", kernel, maxMaskedColumns)
		return nil
	}
	w := windowOf(n, len(kernel))
	if w.autoPad != "explicit" || n.Bool("ceil_mode", false) || slices.ContainsFunc(w.dilations, func(d int64) bool { return d != 1 }) {
		n.Unsupported("windows with auto_pad, ceil_mode or dilations")
		return nil
	}
	x := n.Input(0)
	spatial := n.Slice(n.ShapeOf(x), 0, 2, math.MaxInt64)
	all := n.Layer("ReduceProd", 1, convert.Attributes("keep_dims", false), spatial, n.IntValue(0))
	isFirst := n.Layer("Equal", 1, nil, n.Reshape(arithmetic.Range(n, all, ir.I64), spatial, false), n.IntValue(0))
	mask := n.Layer("LogicalOr", 1, nil, n.Layer("NotEqual", 1, nil, n.Input(1), n.Like(n.Input(1), 0)), isFirst)

	least := n.Like(x, -math.MaxFloat32) // that of a window without elements
	begins, ends := n.IntValues(append([]int64{0, 0}, w.padsBegin...)...), n.IntValues(append([]int64{0, 0}, w.padsEnd...)...)
	pad := func(v, value convert.Value) convert.Value { return arithmetic.Pad(n, v, begins, ends, value) }
	x, mask = pad(x, least), n.Convert(pad(n.Convert(mask, ir.U8), n.Scalar(ir.U8, 1)), ir.Boolean)

	columns := kernel[len(kernel)-1]
	var rows, open convert.Value // the maxima of rows of windows, and which rows have not ended
	for column := range columns {
		end := column - columns + 1
		if end == 0 {
			end = math.MaxInt64
		}
		isOpen, value := n.Slice(mask, -1, column, end), n.Slice(x, -1, column, end)
		if !open.Absent() {
			isOpen = n.Layer("LogicalAnd", 1, nil, open, isOpen)
		}
		value, open = arithmetic.Select(n, isOpen, value, least), isOpen
		if rows.Absent() {
			rows = value
		} else {
			rows = arithmetic.Maximum(n, rows, value)
		}
	}
	none := make([]int64, len(kernel))
	upright := append(slices.Clone(kernel[:len(kernel)-1]), 1)
	attributes := convert.Attributes("strides", w.strides, "dilations", w.dilations, "pads_begin", none, "pads_end", none,
		"kernel", upright, "rounding_type", "floor", "auto_pad", "explicit", "index_element_type", ir.I64, "axis", 0)
	return []convert.Value{n.Layer("MaxPool", 14, attributes, rows)}
}
