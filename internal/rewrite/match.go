package rewrite

import (
	"math"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ops"
)

// Producer returns the layer whose output 0 in reads if the layer has one of the types and IsNumpy;
// nil otherwise.
func Producer(in ir.Input, types ...string) *ir.Layer {
	for _, t := range types {
		if in.Source.Type == t && in.SourceIndex == 0 && IsNumpy(in.Source) {
			return in.Source
		}
	}
	return nil
}

// IsNumpy reports whether layer broadcasts by numpy's rule or is of a type that does not broadcast.
// Patterns assume numpy's rule: PaddlePaddle's aligns the axes in another way, and "none" forbids
// to broadcast.
func IsNumpy(layer *ir.Layer) bool {
	return strings.EqualFold(ir.AttributesOf(layer).String("auto_broadcast", "numpy"), "numpy")
}

// Traits returns the properties of the layer's type.
func (e *Editor) Traits(layer *ir.Layer) *ops.Traits {
	op, err := e.Op(layer)
	if err != nil {
		return &ops.Traits{}
	}
	return &op.Traits
}

// Value returns the value of the tensor that in reads if it is constant; nil otherwise.
func (e *Editor) Value(in ir.Input) *ir.Tensor {
	fact := e.Fact(in)
	return fact.Constant()
}

// Scalar matches a constant of one f32 or f64 element that does not change the rank of x when the
// two are broadcast.
func (e *Editor) Scalar(in, x ir.Input) (float64, bool) {
	t := e.Value(in)
	if t == nil || t.Len() != 1 || len(t.Shape()) > 0 && !e.HasRank(x, len(t.Shape())) {
		return 0, false
	}
	values := FloatsOf(t)
	if values == nil {
		return 0, false
	}
	return values[0], true
}

// HasRank reports whether in is known to have rank n or more.
func (e *Editor) HasRank(in ir.Input, n int) bool {
	shape := e.Fact(in).Shape
	return shape.RankKnown() && shape.Rank() >= n
}

// FloatsOf returns the elements of a tensor of f32 or f64; nil for other types. Those of f64 are
// not copied.
func FloatsOf(t *ir.Tensor) []float64 {
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

// WithScalar matches a layer of two inputs, one of them a scalar. It returns the other input and
// the scalar. layer must be commutative.
func (e *Editor) WithScalar(layer *ir.Layer) (x ir.Input, c float64, ok bool) {
	if len(layer.Inputs) != 2 {
		return x, 0, false
	}
	for i := range 2 {
		if c, ok = e.Scalar(layer.Inputs[1-i], layer.Inputs[i]); ok {
			return layer.Inputs[i], c, true
		}
	}
	return x, 0, false
}

// Scaled matches x*c and x/c with a scalar c. For x/c it returns 1/c.
func (e *Editor) Scaled(in ir.Input) (x ir.Input, c float64, ok bool) {
	if layer := Producer(in, "Multiply"); layer != nil {
		return e.WithScalar(layer)
	}
	if layer := Producer(in, "Divide"); layer != nil {
		if c, ok = e.Scalar(layer.Inputs[1], layer.Inputs[0]); ok && c != 0 {
			return layer.Inputs[0], 1 / c, true
		}
	}
	return x, 0, false
}

// Raised matches a power of x with a scalar exponent. x*x and Sqrt(x) count as powers.
func (e *Editor) Raised(in ir.Input) (x ir.Input, exponent float64, ok bool) {
	layer := Producer(in, "Power", "Multiply", "Sqrt")
	if layer == nil {
		return x, 0, false
	}
	switch layer.Type {
	case "Power":
		if exponent, ok = e.Scalar(layer.Inputs[1], layer.Inputs[0]); ok {
			return layer.Inputs[0], exponent, true
		}
	case "Multiply":
		if IsSame(layer.Inputs[0], layer.Inputs[1]) {
			return layer.Inputs[0], 2, true
		}
	case "Sqrt":
		return layer.Inputs[0], 0.5, true
	}
	return x, 0, false
}

// IsSame reports whether a and b read the same output.
func IsSame(a, b ir.Input) bool { return edit.SourceOf(a) == edit.SourceOf(b) }

// OtherInput matches a layer of two inputs if accept returns true for one of them. It returns the
// other one.
func OtherInput(layer *ir.Layer, accept func(ir.Input) bool) (other ir.Input, ok bool) {
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

// Near reports whether a equals b up to the precision of float32.
func Near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Abs(b) }

// IsFloat32 reports whether in is known to be float32, the only type that patterns of
// floating-point layers match. It is not inlined: its callers would be 1.9 KiB larger.
//
//go:noinline
func (e *Editor) IsFloat32(in ir.Input) bool { return e.Fact(in).Type == ir.F32 }
