package rewrite

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/ir"
)

// Namespace is the namespace of the layer types that only passes insert.
const Namespace = "vinoir"

// AddFloats adds a float32 Constant of the given values on behalf of layer at.
func (e *Editor) AddFloats(at *ir.Layer, shape ir.Shape, values []float64) ir.Input {
	return e.AddConstant(at, FloatTensor(shape, values))
}

// FloatTensor returns a float32 tensor of the given values, one for each element of shape.
func FloatTensor(shape ir.Shape, values []float64) *ir.Tensor {
	narrow := make([]float32, len(values))
	for i, v := range values {
		narrow[i] = float32(v)
	}
	t, err := ir.TensorOf(ir.F32, shape, narrow)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return t
}

// AddInts adds a Constant, a vector of i64, on behalf of layer at.
func (e *Editor) AddInts(at *ir.Layer, values []int64) ir.Input {
	return e.Ints(at, "", ir.I64, ir.Shape{len(values)}, values...).Input()
}

// Integers returns the elements of a constant; nil if in is no constant of integers.
func (e *Editor) Integers(in ir.Input) []int64 {
	t := e.Value(in)
	if t == nil {
		return nil
	}
	list, err := t.Ints()
	if err != nil {
		return nil
	}
	return list
}

// Lengths returns the shape of what in reads if it is static; nil otherwise.
func (e *Editor) Lengths(in ir.Input) ir.Shape {
	shape, err := e.Fact(in).Shape.Static()
	if err != nil {
		return nil
	}
	return shape
}

// Known is value, also of the conversion of a constant that inference does not follow, since it is
// large.
func (e *Editor) Known(in ir.Input) *ir.Tensor {
	if t := e.Value(in); t != nil {
		return t
	}
	convert := Producer(in, "Convert")
	if convert == nil || convert.Inputs[0].Source.Constant == nil {
		return nil
	}
	tensors, err := e.Evaluate(convert, []ir.Fact{e.Fact(convert.Inputs[0])})
	if err != nil {
		return nil
	}
	return tensors[0]
}

// IsConstant reports whether layer computes its outputs from constants alone, in at most a number
// of steps.
func (e *Editor) IsConstant(layer *ir.Layer, steps int) bool {
	if layer.Constant != nil {
		return true
	}
	return steps > 0 && len(layer.Inputs) > 0 && !e.Traits(layer).Stateful &&
		!slices.ContainsFunc(layer.Inputs, func(in ir.Input) bool { return !e.IsConstant(in.Source, steps-1) })
}

// Order returns a copy of the order of axes of a Transpose. It is nil if the order is not constant,
// and empty if the Transpose reverses the axes by default.
func (e *Editor) Order(transpose *ir.Layer) []int64 { return e.Integers(transpose.Inputs[1]) }

// IsIdentity reports whether order keeps all axes in place.
func IsIdentity(order []int64) bool {
	for i, axis := range order {
		if axis != int64(i) {
			return false
		}
	}
	return true
}

// IsNarrow reports whether t is f16 or bf16, the types that are replaced by f32.
func IsNarrow(t ir.ElementType) bool { return t == ir.F16 || t == ir.BF16 }

// IsFewer reports whether a tensor of the given shape has fewer elements than table. A tensor whose
// shape is not static is assumed to have fewer.
func IsFewer(shape ir.PartialShape, table *ir.Tensor) bool {
	static, err := shape.Static()
	return err != nil || static.Elements() < table.Len()
}

// IsFinite reports whether f32 can hold all values.
func IsFinite(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return !(math.Abs(v) <= math.MaxFloat32) })
}

// MinWidth and MaxOffset bound the limits of a FakeQuantize: the distance between them, and how
// many of these distances lie between 0 and the lower one.
const MinWidth, MaxOffset = 1e-30, 1 << 10
