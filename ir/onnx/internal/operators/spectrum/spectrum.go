// Package spectrum converts Fourier transforms, and the windows and weights that are used with
// them.
package spectrum

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Rules returns the rules of the family.
func Rules() []convert.Rule {
	one := infer.Arity{Min: 1, Max: 1}
	return slices.Concat([]convert.Rule{
		{Operator: "DFT", Versions: []int{17}, Inputs: infer.Arity{Min: 1, Max: 2}, Outputs: one, Convert: dft17},
		{Operator: "DFT", Versions: []int{20}, Inputs: infer.Arity{Min: 1, Max: 3}, Outputs: one, Convert: dft20},
		{Operator: "STFT", Versions: []int{17}, Inputs: infer.Arity{Min: 2, Max: 4}, Outputs: one, Convert: stft},
	}, windowRules())
}

// transform is a Fourier transform along an axis of x, whose last axis has real numbers if its
// length is 1, and pairs of the real and the imaginary part if it is 2.
type transform struct {
	x convert.Value
	// axis has one element. It does not count the last axis if it is negative, unlike in ONNX.
	axis convert.Value
	// length has one element, or is absent: x is cut or padded with zeros to it.
	length            convert.Value
	inverse, oneSided bool
}

// dft17 has the axis as an attribute.
func dft17(n *convert.Node) []convert.Value {
	return dft(n, n.IntValues(beforePairs(n, n.Int("axis", 1))))
}

// dft20 has the axis as an input.
func dft20(n *convert.Node) []convert.Value {
	axis := n.Input(2)
	if axis.Absent() {
		return dft(n, n.IntValues(-1))
	}
	if known, ok := n.Ints(axis); ok && len(known) == 1 {
		return dft(n, n.IntValues(beforePairs(n, known[0])))
	}
	axis = n.Reshape(axis, n.IntValues(1), false)
	negative := n.Layer("Less", 1, nil, axis, n.IntValue(0))
	return dft(n, arithmetic.Add(n, axis, n.Convert(negative, ir.I64)))
}

// beforePairs returns an axis as layers count it: a negative one without the axis of the pairs.
func beforePairs(n *convert.Node, axis int64) int64 {
	if axis == -1 {
		n.Fail("axis -1 is that of the real and imaginary parts")
	}
	if axis < 0 {
		return axis + 1
	}
	return axis
}

// dft converts a DFT along an axis.
func dft(n *convert.Node, axis convert.Value) []convert.Value {
	t := transform{x: n.Input(0), axis: axis, inverse: n.Bool("inverse", false), oneSided: n.Bool("onesided", false)}
	if n.Has(1) {
		t.length = n.Reshape(n.Convert(n.Input(1), ir.I64), n.IntValues(1), false)
	}
	return []convert.Value{t.convert(n)}
}

// convert adds the layers of t. They have no f64: it is computed in f32.
func (t transform) convert(n *convert.Node) convert.Value {
	outer := n.Type(t.x)
	if outer == ir.F64 {
		t.x = n.Convert(t.x, ir.F32)
	}
	return n.Convert(t.computed(n), outer)
}

func (t transform) computed(n *convert.Node) convert.Value {
	layer := func(layerType string, opset int, x convert.Value) convert.Value {
		inputs := []convert.Value{x, t.axis}
		if !t.length.Absent() {
			inputs = append(inputs, t.length)
		}
		return n.Layer(layerType, opset, nil, inputs...)
	}
	switch {
	case t.inverse && t.oneSided:
		return n.Unsqueeze(layer("IRDFT", 9, pairs(n, t.x)), -1)
	case t.inverse:
		return layer("IDFT", 7, pairs(n, t.x))
	case t.oneSided && lastLength(n, t.x) == 1:
		return layer("RDFT", 9, n.Squeeze(t.x, -1))
	}
	y := layer("DFT", 7, pairs(n, t.x))
	if !t.oneSided {
		return y
	}
	// The numbers are not known to be real: the first half of the spectrum.
	lengths := n.ShapeOf(y)
	signals := n.Slice(lengths, 0, 0, -1)
	half := arithmetic.Divide(n, arithmetic.Gather(n, signals, t.axis, 0), n.IntValue(2))
	// A negative axis counts all axes in a Slice.
	last := n.Convert(n.Layer("Less", 1, nil, t.axis, n.IntValue(0)), ir.I64)
	axis := arithmetic.Subtract(n, t.axis, last)
	return n.Layer("Slice", 8, nil, y, n.IntValues(0), arithmetic.Add(n, half, n.IntValue(1)), n.IntValues(1), axis)
}

// lastLength returns the length of the last axis of x; 0 if it is not known.
func lastLength(n *convert.Node, x convert.Value) int64 {
	if rank := n.Rank(x); rank > 0 {
		if last := n.Shape(x).At(rank - 1); last.Min == last.Max {
			return last.Min
		}
	}
	return 0
}

// pairs returns x with imaginary parts, which are 0 if it has none.
func pairs(n *convert.Node, x convert.Value) convert.Value {
	last := lastLength(n, x)
	if last == 2 {
		return x
	}
	zeros := arithmetic.Broadcast(n, n.Like(x, 0), n.ShapeOf(n.Slice(x, -1, 0, 1)))
	x = n.Concat(-1, x, zeros)
	if last == 1 {
		return x
	}
	return n.Slice(x, -1, 0, 2)
}

// stft is the transforms of frames of a signal [B,L,1] or [B,L,2], each multiplied by a window. The
// signals of torch are [B,L].
func stft(n *convert.Node) []convert.Value {
	signal, oneSided := n.Input(0), n.Bool("onesided", true)
	if n.Rank(signal) == 2 {
		signal = n.Unsqueeze(signal, 2)
	}
	scalar := func(v convert.Value) convert.Value { return n.Reshape(n.Convert(v, ir.I64), n.IntValues(), false) }
	step, window := scalar(n.Input(1)), n.Input(2)
	var size convert.Value
	switch {
	case n.Has(3):
		size = scalar(n.Input(3))
	case n.Has(2):
		size = scalar(n.ShapeOf(window))
	default:
		size = scalar(n.Slice(n.ShapeOf(signal), 0, 1, 2))
	}
	if window.Absent() {
		window = arithmetic.Broadcast(n, n.Like(signal, 1), n.Unsqueeze(size, 0))
	}
	if oneSided && lastLength(n, signal) == 1 {
		return []convert.Value{n.Layer("STFT", 15, convert.Attributes("transpose_frames", false), n.Squeeze(signal, -1), window, size, step)}
	}
	checkFrames(n, signal, size, step)
	x := arithmetic.Multiply(n, frames(n, signal, size, step), n.Unsqueeze(window, 1))
	t := transform{x: x, axis: n.IntValues(-1), oneSided: oneSided}
	return []convert.Value{t.convert(n)}
}

// checkFrames checks what is known about frames: those of other layers than STFT would be none.
func checkFrames(n *convert.Node, signal, size, step convert.Value) {
	if known, ok := n.Ints(step); ok && len(known) == 1 && known[0] < 1 {
		n.Fail("frame_step is %d, expected at least 1", known[0])
	}
	length := n.Length(signal, 1)
	if known, ok := n.Ints(size); ok && len(known) == 1 && (known[0] < 1 || known[0] > length.Max) {
		n.Fail("frame_length is %d, and the signal has length %v", known[0], length)
	}
}

// frames returns the frames [B,M,N,...] of a signal [B,L,...]. size is N.
func frames(n *convert.Node, signal, size, step convert.Value) convert.Value {
	numbers := func(count convert.Value) convert.Value { return arithmetic.Range(n, count, ir.I64) }
	// Divide rounds down unless it is told otherwise: a signal that is too short has no frames.
	steps := n.Layer("Divide", 1, nil, arithmetic.Subtract(n, arithmetic.Length(n, signal, 1), size), step)
	starts := arithmetic.Multiply(n, numbers(arithmetic.Add(n, steps, n.IntValue(1))), step)
	positions := arithmetic.Add(n, n.Unsqueeze(starts, 1), numbers(size))
	return arithmetic.Gather(n, signal, positions, 1)
}
