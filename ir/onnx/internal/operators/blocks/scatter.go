package blocks

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// maxWindowAxes limits the axes of an image: those of a tensor without batch and channels.
const maxWindowAxes = 62

// scatter returns zeros of a shape with values at their indices among all elements. Values of one
// place are added with the reduction sum; with none, one of them counts.
func scatter(n *convert.Node, values, indices, shape convert.Value, reduction string) convert.Value {
	all := n.Layer("ReduceProd", 1, convert.Attributes("keep_dims", true), shape, n.IntValue(0))
	zeros := arithmetic.Broadcast(n, n.Like(values, 0), all)
	flat := n.IntValues(-1)
	attributes := convert.Attributes("reduction", reduction, "use_init_val", true)
	sums := n.Layer("ScatterElementsUpdate", 12, attributes, zeros, n.Reshape(indices, flat, false), n.Reshape(values, flat, false), n.IntValue(0))
	return n.Reshape(sums, shape, false)
}

// maxUnpool puts elements back to where MaxPool took them from, and makes the others 0. The indices
// are those in the shape that follows from the window; a larger one is filled with zeros.
func maxUnpool(n *convert.Node) []convert.Value {
	n.RequireAttribute("kernel_shape")
	kernel := n.IntList("kernel_shape")
	strides, pads := n.IntsOf("strides", len(kernel), 1), n.IntsOf("pads", 2*len(kernel), 0)
	if n.Failed() {
		return nil
	}
	rest := make([]int64, len(kernel)) // what a window has beyond its stride, without padding
	for i := range kernel {
		rest[i] = kernel[i] - strides[i] - pads[i] - pads[i+len(kernel)]
	}
	lengths := n.ShapeOf(n.Input(0))
	spatial := arithmetic.Multiply(n, n.Slice(lengths, 0, 2, math.MaxInt64), n.IntValues(strides...))
	spatial = arithmetic.Add(n, spatial, n.IntValues(rest...))
	shape := n.Concat(0, n.Slice(lengths, 0, 0, 2), spatial)
	result := scatter(n, n.Input(0), n.Input(1), shape, "none")
	if n.Has(2) {
		added := arithmetic.Subtract(n, n.Input(2), shape)
		result = arithmetic.Pad(n, result, arithmetic.Subtract(n, added, added), added, arithmetic.Zero(n, result))
	}
	return []convert.Value{result}
}

// col2Im adds the columns of windows to the image that they were taken from. An image of two axes
// has a layer for it.
func col2Im(n *convert.Node) []convert.Value {
	axes := imageAxes(n)
	if n.Failed() {
		return nil
	}
	w := columns{
		axes:    axes,
		strides: n.IntsOf("strides", axes, 1), dilations: n.IntsOf("dilations", axes, 1), pads: n.IntsOf("pads", 2*axes, 0),
	}
	if axes == 2 {
		attributes := convert.Attributes("strides", w.strides, "dilations", w.dilations, "pads_begin", w.pads[:2], "pads_end", w.pads[2:])
		two := n.IntValues(2) // the layer requires shapes that are known to be [2]
		return []convert.Value{n.Layer("Col2Im", 15, attributes, n.Input(0), n.Reshape(n.Input(1), two, false), n.Reshape(n.Input(2), two, false))}
	}
	return []convert.Value{w.image(n)}
}

// imageAxes returns the number of axes of the image of Col2Im, without those of batch and channels.
func imageAxes(n *convert.Node) int {
	for _, name := range []string{"strides", "dilations"} {
		if values := n.IntList(name); values != nil {
			return limited(n, int64(len(values)))
		}
	}
	for i := 1; i <= 2; i++ {
		if shape := n.Shape(n.Input(i)); shape.Rank() == 1 && shape.At(0).IsStatic() {
			return limited(n, shape.At(0).Min)
		}
	}
	n.Fail("the length of image_shape must be known")
	return 0
}

func limited(n *convert.Node, axes int64) int {
	if axes < 1 || axes > maxWindowAxes {
		n.Fail("an image of %d axes, expected 1 to %d", axes, maxWindowAxes)
		return 0
	}
	return int(axes)
}

// columns describes the windows of Col2Im.
type columns struct {
	axes                     int
	strides, dilations, pads []int64
}

// image adds the columns to the image with its padding, which is cut off in the end, so that no
// element of a window is outside.
func (w *columns) image(n *convert.Node) convert.Value {
	padded := n.Input(1)
	for _, pads := range [][]int64{w.pads[:w.axes], w.pads[w.axes:]} {
		padded = arithmetic.Add(n, padded, n.IntValues(pads...))
	}
	window := n.Input(2)
	data, lengths := n.Input(0), n.ShapeOf(n.Input(0))
	batch := n.Slice(lengths, 0, 0, 1)
	elements := n.Layer("ReduceProd", 1, convert.Attributes("keep_dims", true), window, n.IntValue(0))
	channels := arithmetic.Divide(n, n.Slice(lengths, 0, 1, 2), elements)
	images := arithmetic.Multiply(n, batch, channels)
	size := n.Layer("ReduceProd", 1, convert.Attributes("keep_dims", true), padded, n.IntValue(0))

	places := n.Reshape(w.places(n, padded, window), n.IntValues(1, -1), false)
	starts := arithmetic.Multiply(n, arithmetic.Range(n, arithmetic.Scalar(n, images), ir.I64), size)
	places = arithmetic.Add(n, n.Unsqueeze(starts, 1), places)
	shape := n.Concat(0, batch, channels, padded)
	full := scatter(n, data, places, shape, "sum")

	zeros := []int64{0, 0}
	begins := n.IntValues(append(zeros, negated(w.pads[:w.axes])...)...)
	ends := n.IntValues(append(zeros, negated(w.pads[w.axes:])...)...)
	return arithmetic.Pad(n, full, begins, ends, arithmetic.Zero(n, full))
}

// places returns the index in the padded image of each element of a window, at each place of the
// window: [window..., places...].
func (w *columns) places(n *convert.Node, padded, window convert.Value) convert.Value {
	var sum convert.Value
	step := n.IntValue(1)
	for i := w.axes - 1; i >= 0; i-- {
		at := func(list convert.Value) convert.Value { return arithmetic.Gather(n, list, n.IntValue(int64(i)), 0) }
		length, kernel := at(padded), at(window)
		// The first and the last element of the window must be in the image.
		free := arithmetic.Subtract(n, length, arithmetic.Times(n, arithmetic.Plus(n, kernel, -1), float64(w.dilations[i])))
		count := arithmetic.Plus(n, arithmetic.Divide(n, arithmetic.Plus(n, free, -1), n.IntValue(w.strides[i])), 1)
		within := arithmetic.Times(n, arithmetic.Range(n, kernel, ir.I64), float64(w.dilations[i]))
		start := arithmetic.Times(n, arithmetic.Range(n, count, ir.I64), float64(w.strides[i]))
		index := arithmetic.Add(n, onAxis(n, within, i, 2*w.axes), onAxis(n, start, w.axes+i, 2*w.axes))
		index = arithmetic.Multiply(n, index, step)
		if sum.Absent() {
			sum = index
		} else {
			sum = arithmetic.Add(n, sum, index)
		}
		step = arithmetic.Multiply(n, step, length)
	}
	return sum
}

// onAxis returns a vector as a tensor of some rank that has a length above 1 only along an axis.
func onAxis(n *convert.Node, v convert.Value, axis, rank int) convert.Value {
	shape := make([]int64, rank)
	for i := range shape {
		shape[i] = 1
	}
	shape[axis] = -1
	return n.Reshape(v, n.IntValues(shape...), false)
}

// negated returns the negatives of numbers.
func negated(numbers []int64) []int64 {
	list := make([]int64, len(numbers))
	for i, v := range numbers {
		list[i] = -v
	}
	return list
}
