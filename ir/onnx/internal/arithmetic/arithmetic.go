// Package arithmetic adds layers that compute with numbers: lengths, coordinates and weights, which
// a rule needs and which are constants if the shapes are known. Operands broadcast as in NumPy, and
// both have the same type.
package arithmetic

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
)

// Add returns a + b.
func Add(n *convert.Node, a, b convert.Value) convert.Value { return n.Layer("Add", 1, nil, a, b) }

// Subtract returns a - b.
func Subtract(n *convert.Node, a, b convert.Value) convert.Value {
	return n.Layer("Subtract", 1, nil, a, b)
}

// Multiply returns a * b.
func Multiply(n *convert.Node, a, b convert.Value) convert.Value {
	return n.Layer("Multiply", 1, nil, a, b)
}

// Divide returns a / b. Integers drop the fraction.
func Divide(n *convert.Node, a, b convert.Value) convert.Value {
	return n.Layer("Divide", 1, convert.Attributes("m_pythondiv", false), a, b)
}

// MatMul returns the product of matrices, each of which can be transposed.
func MatMul(n *convert.Node, a, b convert.Value, transposeA, transposeB bool) convert.Value {
	return n.Layer("MatMul", 1, convert.Attributes("transpose_a", transposeA, "transpose_b", transposeB), a, b)
}

// Minimum returns the smaller of a and b.
func Minimum(n *convert.Node, a, b convert.Value) convert.Value {
	return n.Layer("Minimum", 1, nil, a, b)
}

// Maximum returns the larger of a and b.
func Maximum(n *convert.Node, a, b convert.Value) convert.Value {
	return n.Layer("Maximum", 1, nil, a, b)
}

// Plus returns v plus a number.
func Plus(n *convert.Node, v convert.Value, number float64) convert.Value {
	if number == 0 {
		return v
	}
	return Add(n, v, n.Like(v, number))
}

// Times returns v times a number. Integers are multiplied as floats if it has a fraction.
func Times(n *convert.Node, v convert.Value, number float64) convert.Value {
	t := n.Type(v)
	switch {
	case number == 1:
		return v
	case t.IsInteger() && number != math.Trunc(number):
		wide := n.Convert(v, ir.F64)
		return n.Convert(Multiply(n, wide, n.Like(wide, number)), t)
	}
	return Multiply(n, v, n.Like(v, number))
}

// Sum returns the sum of v and of those of others that are there.
func Sum(n *convert.Node, v convert.Value, others ...convert.Value) convert.Value {
	for _, other := range others {
		if !other.Absent() {
			v = Add(n, v, other)
		}
	}
	return v
}

// Clamp returns v limited to low and high; high if low is larger.
func Clamp(n *convert.Node, v, low, high convert.Value) convert.Value {
	return Minimum(n, Maximum(n, v, low), high)
}

// Select returns the elements of a where a condition holds, and those of b elsewhere.
func Select(n *convert.Node, condition, a, b convert.Value) convert.Value {
	return n.Layer("Select", 1, nil, condition, a, b)
}

// Gather returns the elements of v at indices along an axis.
func Gather(n *convert.Node, v, indices convert.Value, axis int64) convert.Value {
	return n.Layer("Gather", 8, convert.Attributes("batch_dims", 0), v, indices, n.IntValue(axis))
}

// Length returns the length of v along an axis, a scalar of i64.
func Length(n *convert.Node, v convert.Value, axis int64) convert.Value {
	return Gather(n, n.ShapeOf(v), n.IntValue(axis), 0)
}

// Lengths returns the lengths of v along axes, a vector of i64.
func Lengths(n *convert.Node, v convert.Value, axes ...int64) convert.Value {
	return Gather(n, n.ShapeOf(v), n.IntValues(axes...), 0)
}

// Range returns the numbers from 0 to before end, a value of one element, as a vector of type t.
func Range(n *convert.Node, end convert.Value, t ir.ElementType) convert.Value {
	end = n.Convert(Scalar(n, end), ir.I64)
	return n.Convert(n.Layer("Range", 4, convert.Attributes("output_type", ir.I64), n.IntValue(0), end, n.IntValue(1)), t)
}

// Scalar returns v, which has one element, as a scalar.
func Scalar(n *convert.Node, v convert.Value) convert.Value {
	if n.Rank(v) == 0 {
		return v
	}
	return n.Reshape(v, n.IntValues(), false)
}

// IsZero reports whether all elements of v are known to be 0.
func IsZero(n *convert.Node, v convert.Value) bool {
	t := n.Constant(v)
	if t == nil {
		return false
	}
	at := t.Values()
	for i := range t.Len() {
		if at(i) != 0 {
			return false
		}
	}
	return true
}

// Zero returns a scalar of the type of v: 0, or "" for strings.
func Zero(n *convert.Node, v convert.Value) convert.Value {
	if n.Type(v) == ir.String {
		return n.ValueOf("")
	}
	return n.Like(v, 0)
}

// Pad returns v with a scalar repeated around it, or cut where the numbers in begins and ends, one
// for each axis, are negative.
func Pad(n *convert.Node, v, begins, ends, scalar convert.Value) convert.Value {
	return n.Layer("Pad", 12, convert.Attributes("pad_mode", "constant"), v, begins, ends, scalar)
}

// Broadcast returns v with a shape, a value of integers.
func Broadcast(n *convert.Node, v, shape convert.Value) convert.Value {
	return n.Layer("Broadcast", 3, convert.Attributes("mode", "numpy"), v, shape)
}
