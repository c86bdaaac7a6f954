package matrix

import (
	"math"
	"math/bits"

	"github.com/vinoir/vinoir/ir/onnx/internal/arithmetic"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// maxCumProdSteps is enough for an axis of 2³¹ elements.
const maxCumProdSteps = 31

// cumProd multiplies each element by those before it along an axis. Each step multiplies by what is
// twice as far away as in the step before: so there is one for each bit of the length.
func cumProd(n *convert.Node) []convert.Value {
	x, axis := n.Input(0), n.Reshape(n.Input(1), n.IntValues(1), false)
	steps := cumProdSteps(n, axis)
	reverse := n.Bool("reverse", false)
	if reverse {
		x = reversed(n, x, axis)
	}
	if n.Bool("exclusive", false) {
		x = shifted(n, x, axis, 1)
	}
	for step := range steps {
		if n.Failed() {
			return nil
		}
		x = arithmetic.Multiply(n, x, shifted(n, x, axis, 1<<step))
	}
	if reverse {
		x = reversed(n, x, axis)
	}
	return []convert.Value{x}
}

// cumProdSteps returns how many bits the largest index along an axis has; along any axis, if it is
// not known which one it is.
func cumProdSteps(n *convert.Node, axis convert.Value) int {
	shape := n.Shape(n.Input(0))
	if shape.Rank() < 0 {
		return maxCumProdSteps
	}
	lengths := shape.Dims()
	if known, ok := n.Ints(axis); ok && len(known) == 1 {
		i := n.Axis(known[0], len(lengths))
		if n.Failed() {
			return 0
		}
		lengths = lengths[i : i+1]
	}
	steps := 0
	for _, d := range lengths {
		if !d.IsStatic() {
			return maxCumProdSteps
		}
		steps = max(steps, bits.Len64(uint64(max(d.Min-1, 0))))
	}
	return min(steps, maxCumProdSteps)
}

// reversed returns v in reverse order along an axis.
func reversed(n *convert.Node, v, axis convert.Value) convert.Value {
	return n.Layer("Slice", 8, nil, v, n.IntValues(-1), n.IntValues(math.MinInt64), n.IntValues(-1), axis)
}

// shifted returns v with its elements moved towards the end of an axis. Those that come in are 1.
func shifted(n *convert.Node, v, axis convert.Value, by int64) convert.Value {
	left := n.Layer("Slice", 8, nil, v, n.IntValues(0), n.IntValues(-by), n.IntValues(1), axis)
	begins := arithmetic.Subtract(n, n.ShapeOf(v), n.ShapeOf(left))
	ends := arithmetic.Subtract(n, begins, begins)
	return arithmetic.Pad(n, left, begins, ends, n.Like(v, 1))
}
