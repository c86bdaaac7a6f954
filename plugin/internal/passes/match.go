package passes

import (
	"math"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// producer returns the layer whose output 0 in reads if the layer has one of the types and isNumpy;
// nil otherwise.
func producer(in ir.Input, types ...string) *ir.Layer {
	for _, t := range types {
		if in.Source.Type == t && in.SourceIndex == 0 && isNumpy(in.Source) {
			return in.Source
		}
	}
	return nil
}

// isNumpy reports whether layer broadcasts by numpy's rule or is of a type that does not broadcast.
// Patterns assume numpy's rule: PaddlePaddle's aligns the axes in another way, and "none" forbids to
// broadcast.
func isNumpy(layer *ir.Layer) bool {
	return strings.EqualFold(ir.AttributesOf(layer).String("auto_broadcast", "numpy"), "numpy")
}

// value returns the value of the tensor that in reads if it is constant; nil otherwise.
func (e *editor) value(in ir.Input) *ir.Tensor {
	fact := e.fact(in)
	return fact.Constant()
}

// scalar matches a constant of one f32 or f64 element that does not change the rank of x when the two
// are broadcast.
func (e *editor) scalar(in, x ir.Input) (float64, bool) {
	t := e.value(in)
	if t == nil || t.Len() != 1 || len(t.Shape()) > 0 && !e.hasRank(x, len(t.Shape())) {
		return 0, false
	}
	values := floatsOf(t)
	if values == nil {
		return 0, false
	}
	return values[0], true
}

// hasRank reports whether in is known to have rank n or more.
func (e *editor) hasRank(in ir.Input, n int) bool {
	shape := e.fact(in).Shape
	return shape.RankKnown() && shape.Rank() >= n
}

// floatsOf returns the elements of a tensor of f32 or f64; nil for other types. Those of f64 are not
// copied.
func floatsOf(t *ir.Tensor) []float64 {
	switch t.ElementType() {
	case ir.F64:
		return ir.Data[float64](t)
	case ir.F32:
		values := make([]float64, t.Len())
		for i, v := range ir.Data[float32](t) {
			values[i] = float64(v)
		}
		return values
	}
	return nil
}

// withScalar matches a layer of two inputs, one of them a scalar. It returns the other input and the
// scalar. layer must be commutative.
func (e *editor) withScalar(layer *ir.Layer) (x ir.Input, c float64, ok bool) {
	if len(layer.Inputs) != 2 {
		return x, 0, false
	}
	for i := range 2 {
		if c, ok = e.scalar(layer.Inputs[1-i], layer.Inputs[i]); ok {
			return layer.Inputs[i], c, true
		}
	}
	return x, 0, false
}

// scaled matches x*c and x/c with a scalar c. For x/c it returns 1/c.
func (e *editor) scaled(in ir.Input) (x ir.Input, c float64, ok bool) {
	if layer := producer(in, "Multiply"); layer != nil {
		return e.withScalar(layer)
	}
	if layer := producer(in, "Divide"); layer != nil {
		if c, ok = e.scalar(layer.Inputs[1], layer.Inputs[0]); ok && c != 0 {
			return layer.Inputs[0], 1 / c, true
		}
	}
	return x, 0, false
}

// raised matches a power of x with a scalar exponent. x*x and Sqrt(x) count as powers.
func (e *editor) raised(in ir.Input) (x ir.Input, exponent float64, ok bool) {
	layer := producer(in, "Power", "Multiply", "Sqrt")
	if layer == nil {
		return x, 0, false
	}
	switch layer.Type {
	case "Power":
		if exponent, ok = e.scalar(layer.Inputs[1], layer.Inputs[0]); ok {
			return layer.Inputs[0], exponent, true
		}
	case "Multiply":
		if isSame(layer.Inputs[0], layer.Inputs[1]) {
			return layer.Inputs[0], 2, true
		}
	case "Sqrt":
		return layer.Inputs[0], 0.5, true
	}
	return x, 0, false
}

// isSame reports whether a and b read the same output.
func isSame(a, b ir.Input) bool { return edit.SourceOf(a) == edit.SourceOf(b) }

// otherInput matches a layer of two inputs if accept returns true for one of them. It returns the
// other one.
func otherInput(layer *ir.Layer, accept func(ir.Input) bool) (other ir.Input, ok bool) {
	if len(layer.Inputs) != 2 {
		return other, false
	}
	for i := range 2 {
		if accept(layer.Inputs[i]) {
			return layer.Inputs[1-i], true
		}
	}
	return other, false
}

// near reports whether a equals b up to the precision of float32.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

// isFloat32 reports whether in is known to be float32, the only type that patterns of floating-point
// layers match. It is not inlined, because a Fact is large.
//
//go:noinline
func (e *editor) isFloat32(in ir.Input) bool { return e.fact(in).Type == ir.F32 }
