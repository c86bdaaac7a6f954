package passes

import (
	"math"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// of returns the layer that in reads where it is of one of the types and isNumpy; nil
// otherwise.
func of(in ir.Input, types ...string) *ir.Layer {
	for _, t := range types {
		if in.Source.Type == t && in.SourceIndex == 0 && isNumpy(in.Source) {
			return in.Source
		}
	}
	return nil
}

// isNumpy reports whether layer broadcasts, if at all, by numpy's rule. By PaddlePaddle's
// the axes of a constant stand for others, and some refuse what numpy's stretches.
func isNumpy(layer *ir.Layer) bool {
	return strings.EqualFold(ir.AttributesOf(layer).String("auto_broadcast", "numpy"), "numpy")
}

// value returns the constant that in reads; nil of another.
func (e *editor) value(in ir.Input) *ir.Tensor {
	fact := e.fact(in)
	return fact.Constant()
}

// scalar returns the number that in reads where it is a constant of one floating-point
// element that broadcasts to the rank of x.
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

// hasRank reports whether in is known to have n axes or more.
func (e *editor) hasRank(in ir.Input, n int) bool {
	shape := e.fact(in).Shape
	return shape.RankKnown() && shape.Rank() >= n
}

// floatsOf returns the elements of a tensor of a floating-point type of 32 or 64 bits;
// nil of another.
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

// withScalar returns the other input of layer, one of two inputs whose order does not
// matter, where one is a scalar.
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

// scaled returns x and c where in is x*c or x/c with a scalar, read as x*c.
func (e *editor) scaled(in ir.Input) (x ir.Input, c float64, ok bool) {
	if layer := of(in, "Multiply"); layer != nil {
		return e.withScalar(layer)
	}
	if layer := of(in, "Divide"); layer != nil {
		if c, ok = e.scalar(layer.Inputs[1], layer.Inputs[0]); ok && c != 0 {
			return layer.Inputs[0], 1 / c, true
		}
	}
	return x, 0, false
}

// raised returns x and the exponent where in is a power of x with a scalar exponent,
// or the square of x in another spelling.
func (e *editor) raised(in ir.Input) (x ir.Input, exponent float64, ok bool) {
	layer := of(in, "Power", "Multiply", "Sqrt")
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

func isSame(a, b ir.Input) bool { return edit.SourceOf(a) == edit.SourceOf(b) }

// either returns the other input of a layer of two inputs where accept takes one.
func either(layer *ir.Layer, accept func(ir.Input) bool) (other ir.Input, ok bool) {
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

// near reports whether a constant is b, as float32 holds it.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

// isFloat32 reports whether in is known to be float32: what patterns of floating-point
// layers are made for.
func (e *editor) isFloat32(in ir.Input) bool { return e.fact(in).Type == ir.F32 }
