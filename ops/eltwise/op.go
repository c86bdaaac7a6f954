// Package eltwise computes element-wise operations of two tensors:
//
//	output[i] = f(a[i], b[i])
//
// for all elements after broadcasting.
//
//	Add a+b, Subtract a-b, Multiply a*b, SquaredDifference (a-b)*(a-b)
//	Divide a/b; between integers the quotient is rounded down if m_pythondiv
//	is true, the default, or else towards zero
//	Mod a - b*trunc(a/b), with the sign of a; FloorMod a - b*floor(a/b), with
//	the sign of b
//	Power a to the b; between integers a negative b gives 1/(a^-b) rounded
//	towards zero, and 0 if a is 0
//	Maximum a if a > b, else b; Minimum a if a < b, else b
//	Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual: boolean
//	PRelu, written PReLU: a if a >= 0, else a*b
//	LogicalAnd, LogicalOr, LogicalXor, and Xor, its name in opset1
//	BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseLeftShift, BitwiseRightShift
//
// Versions: the arithmetic, comparing and logical types -1; BitwiseAnd, BitwiseOr, BitwiseXor -13;
// the shifts -15. Inputs: a and b of one type T. Output: T, boolean for comparisons.
//
// The attribute auto_broadcast is one of:
//
//   - numpy, the default: the last axes correspond, and lengths of 1 are repeated.
//   - none, also spelled explicit: the shapes are equal.
//   - pdpd: b is repeated to the shape of a. Axis 0 of b corresponds to the axis of a in
//     auto_broadcast.auto_broadcast_axis; -1 means that the last axes correspond. If the attribute
//     is missing, it is 0 as in OpenVINO's reader, not -1 as in the specification.
//
// PRelu has no attribute. Its b is the slope, which is repeated to the shape of a by numpy's rule,
// but a vector as long as axis 1 of a corresponds to that axis. As in OpenVINO, the shape rule
// accepts every slope; the kernel needs type T and a shape that can be repeated.
//
// T: f32, f64, f16, bf16, i8 to i64 and u8 to u64; boolean for comparisons, logical operations and
// bitwise operations except shifts; string for Equal and NotEqual. f16 and bf16 are computed in f32
// and rounded once. Integers wrap on overflow; NUMBERS.md compares this with OpenVINO. The vector
// code for f32 Power has an error of at most 2 ULP. A shift by a negative number, or by the width
// of the type or more, gives 0, or -1 for a negative number shifted right. Errors: integer division
// by zero, which the specification leaves undefined.
//
// Specification: OpenVINO operation set, arithmetic, comparison, logical, bitwise; Broadcast Rules
// For Elementwise Operations.
package eltwise

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/autobroadcast"
	"github.com/vinoir/vinoir/ops/internal/passes/affine"
)

// function is one element-wise function of two values.
type function uint8

const (
	add function = iota
	subtract
	multiply
	divide   // floats, and integers rounded towards zero
	floorDiv // integers, rounded down
	power
	maximum
	minimum
	mod
	floorMod
	squaredDifference
	equal
	notEqual
	less
	lessEqual
	greater
	greaterEqual
	and
	or
	xor
	leftShift
	rightShift
	prelu
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	shifts(deferrable(arithmetic("Add", add))),
	arithmetic("Divide", divide),
	arithmetic("FloorMod", floorMod),
	arithmetic("Maximum", maximum),
	arithmetic("Minimum", minimum),
	arithmetic("Mod", mod),
	deferrable(arithmetic("Multiply", multiply)),
	arithmetic("Power", power),
	arithmetic("SquaredDifference", squaredDifference),
	deferrable(arithmetic("Subtract", subtract)),
	equality("Equal", equal),
	comparison("Greater", greater),
	comparison("GreaterEqual", greaterEqual),
	comparison("Less", less),
	comparison("LessEqual", lessEqual),
	equality("NotEqual", notEqual),
	logical("LogicalAnd", and),
	logical("LogicalOr", or),
	logical("LogicalXor", xor),
	logical("Xor", xor),
	preluOp(),
	bitwise("BitwiseAnd", 13, and),
	bitwise("BitwiseLeftShift", 15, leftShift),
	bitwise("BitwiseOr", 13, or),
	bitwise("BitwiseRightShift", 15, rightShift),
	bitwise("BitwiseXor", 13, xor),
}

var (
	integers = []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64}
	numbers  = append([]ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16}, integers...)
	booleans = []ir.ElementType{ir.Boolean}
)

func arithmetic(layerType string, f function) ops.Op {
	op := eltwise(layerType, 1, f, numbers, inferArithmetic)
	op.Fusion = ops.Fusion{Stage: stage, Applies: true, Stores: true}
	return op
}

// deferrable marks an arithmetic layer that weights often pass through and that accepts all data.
func deferrable(op ops.Op) ops.Op {
	op.Traits.Deferrable = true
	return op
}

// shifts adds the pass that moves scales and shifts into weights to a layer type.
func shifts(op ops.Op) ops.Op {
	op.Passes = []ops.Pass{{Name: "MergeAffine", Run: affine.MergeAffine}}
	return op
}

func comparison(layerType string, f function) ops.Op {
	return eltwise(layerType, 1, f, append(booleans, numbers...), inferComparison)
}

func equality(layerType string, f function) ops.Op {
	op := comparison(layerType, f)
	op.Types = append(op.Types, ir.String)
	return op
}

func logical(layerType string, f function) ops.Op {
	return eltwise(layerType, 1, f, booleans, inferLogical)
}

func bitwise(layerType string, version int, f function) ops.Op {
	types, infer := integers, inferShift
	if f != leftShift && f != rightShift {
		types, infer = append(booleans, integers...), inferBitwise
	}
	return eltwise(layerType, version, f, types, infer)
}

// preluOp returns PRelu. It has no attributes, and its output has the shape of its first input.
func preluOp() ops.Op {
	op := eltwise("PRelu", 1, prelu, numbers, inferPRelu)
	op.Attributes = func(*ir.Attributes) (any, error) { return attributes{f: prelu}, nil }
	op.Fusion = ops.Fusion{Stage: stage, Applies: true, Stores: true}
	return op
}

func eltwise(layerType string, version int, f function, types []ir.ElementType, infer func(*ops.Inference) error) ops.Op {
	return ops.Op{
		Type: layerType, Version: version,
		Inputs:     ops.Exactly(2),
		Types:      types,
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, f) },
		Infer:      infer,
		Bounds:     bounds,
		Memory:     ops.Memory{InPlace: []int{0, 1}},
		Prepare:    prepare,
	}
}

type attributes struct {
	autobroadcast.Rule
	f     function
	floor bool
}

func parse(a *ir.Attributes, f function) (any, error) {
	at := attributes{Rule: autobroadcast.Parse(a), f: f}
	at.floor = f == divide && a.Bool("m_pythondiv", true)
	return at, a.Err()
}
