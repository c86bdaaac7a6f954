// Package unary computes element-wise operations of one tensor:
//
//	output[i] = f(data[i])
//
//	Abs, Negative, Sign (-1, 0 or 1), Floor, Ceiling, Sqrt, Exp, Log, Erf, ErfInv
//	Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh
//	Relu x if x > 0, else 0; Sigmoid 1/(1+exp(-x)); SoftSign x/(1+|x|)
//	SoftPlus ln(exp(x)+1); Mish x*tanh(SoftPlus(x))
//	HSigmoid min(max(x+3, 0), 6)/6; HSwish x*HSigmoid(x)
//	Clamp min(max(x, min), max); NaN gives min; for integers min is rounded up, max down
//	Elu x if x > 0, else alpha*(exp(x)-1)
//	Gelu x*(1+erf(x/sqrt(2)))/2 or, with approximation_mode tanh,
//	x*(1+tanh(sqrt(2/pi)*(x+0.044715*x^3)))/2
//	Round to the nearest, ties to even or, with mode half_away_from_zero, away from 0
//	IsNaN, IsFinite, IsInf: boolean; detect_negative and detect_positive, true by
//	default, select the infinities that IsInf reports
//	LogicalNot, and BitwiseNot, which is ^x for integers and "not" for booleans
//
// Versions: Gelu-2 without a mode, Acosh-4, Asinh-4, Atanh-4, HSwish-4, Mish-4, SoftPlus-4,
// HSigmoid-5, Round-5, Gelu-7, SoftSign-9, IsFinite-10, IsInf-10, IsNaN-10, BitwiseNot-13,
// ErfInv-17, and -1 of all other types. Input: data of type T. Output: type T unless stated
// otherwise, and the shape of data.
//
// T: f32, f64, f16, bf16 and integers of whole bytes. f16 and bf16 are computed in f32 and rounded
// once. Integers wrap on overflow. If the result of a function is not an integer, it is rounded to
// the nearest, ties to even, and clamped to T. ErfInv, Gelu, SoftSign, SoftPlus, Mish, IsNaN,
// IsFinite and IsInf have kernels for floats only. The vector code for f32 has an error of at most
// 6.7 ULP for Exp, Log, Sin, Cos, Sigmoid, Tanh, Erf, Gelu, Mish, SoftPlus and Elu, as package
// vmath states for each of them; for Gelu with mode tanh, these are ULPs of x.
//
// Specification: OpenVINO operation set, arithmetic, activation, comparison, logical, bitwise.
package unary

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// function is one element-wise function.
type function uint8

const (
	abs function = iota
	acos
	acosh
	asin
	asinh
	atan
	atanh
	bitwiseNot
	ceiling
	clamp
	cos
	cosh
	elu
	erf
	erfInv
	exp
	floor
	geluErf
	geluTanh
	hSigmoid
	hSwish
	isFinite
	isInf
	isNaN
	log
	logicalNot
	mish
	negative
	relu
	roundHalfAway
	roundHalfToEven
	sigmoid
	sign
	sin
	sinh
	softPlus
	softSign
	sqrt
	tan
	tanh
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	unary("Abs", 1, abs, inferNumber),
	unary("Acos", 1, acos, inferNumber),
	unary("Acosh", 4, acosh, inferNumber),
	unary("Asin", 1, asin, inferNumber),
	unary("Asinh", 4, asinh, inferNumber),
	unary("Atan", 1, atan, inferNumber),
	unary("Atanh", 4, atanh, inferNumber),
	unary("BitwiseNot", 13, bitwiseNot, inferBitwise),
	unary("Ceiling", 1, ceiling, inferNumber),
	withAttributes("Clamp", 1, clamp, parseClamp, inferNumber),
	unary("Cos", 1, cos, inferNumber),
	unary("Cosh", 1, cosh, inferNumber),
	withAttributes("Elu", 1, elu, parseElu, inferAny),
	unary("Erf", 1, erf, inferNumber),
	unary("ErfInv", 17, erfInv, inferFloat),
	unary("Exp", 1, exp, inferNumber),
	unary("Floor", 1, floor, inferNumber),
	unary("Gelu", 2, geluErf, inferFloat),
	withAttributes("Gelu", 7, geluErf, parseGelu, inferFloat),
	unary("HSigmoid", 5, hSigmoid, inferNumber),
	unary("HSwish", 4, hSwish, inferNumber),
	unary("IsFinite", 10, isFinite, inferTest),
	withAttributes("IsInf", 10, isInf, parseIsInf, inferTest),
	unary("IsNaN", 10, isNaN, inferTest),
	unary("Log", 1, log, inferNumber),
	unary("LogicalNot", 1, logicalNot, inferAny),
	unary("Mish", 4, mish, inferFloat),
	unary("Negative", 1, negative, inferNumber),
	unary("Relu", 1, relu, inferNumber),
	withAttributes("Round", 5, roundHalfToEven, parseRound, inferAny),
	unary("Sigmoid", 1, sigmoid, inferNumber),
	unary("Sign", 1, sign, inferNumber),
	unary("Sin", 1, sin, inferNumber),
	unary("Sinh", 1, sinh, inferNumber),
	unary("SoftPlus", 4, softPlus, inferFloat),
	unary("SoftSign", 9, softSign, inferFloat),
	unary("Sqrt", 1, sqrt, inferNumber),
	unary("Tan", 1, tan, inferNumber),
	unary("Tanh", 1, tanh, inferNumber),
}

func unary(layerType string, version int, f function, infer func(*ops.Inference) error) ops.Op {
	return ops.Op{
		Type: layerType, Version: version,
		Inputs: ops.Exactly(1),
		Types:  types(f),
		Infer:  infer,
		Bounds: bounds(f),
		Memory: ops.Memory{InPlace: []int{0}},
		Fusion: ops.Fusion{
			Applies: true, Stores: true,
			Stage: func(*ops.Preparation, int) (*ops.Stage, error) { return stage(attributes{f: f}), nil },
		},
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) { return prepare(p, attributes{f: f}) },
	}
}

// withAttributes is like unary, for a layer type with attributes. parse may choose a function other
// than f, if it has kernels for the same element types.
func withAttributes(layerType string, version int, f function, parse func(*ir.Attributes) attributes, infer func(*ops.Inference) error) ops.Op {
	op := unary(layerType, version, f, infer)
	op.Attributes = func(a *ir.Attributes) (any, error) { return parse(a), a.Err() }
	op.Fusion.Stage = func(p *ops.Preparation, _ int) (*ops.Stage, error) { return stage(p.Attributes.(attributes)), nil }
	op.Prepare = func(p *ops.Preparation) (*ops.Prepared, error) { return prepare(p, p.Attributes.(attributes)) }
	return op
}

// conversions returns those of the types that are computed in wider ones. The results of most
// functions are limited to an integer type, those of others wrap.
func conversions(f function) []widened.Conversion {
	if f == abs || f == negative || f == bitwiseNot {
		return wrapping
	}
	return saturating
}

var (
	wrapping   = slices.Concat(widened.Halves, widened.Wrapping)
	saturating = slices.Concat(widened.Halves, widened.Saturating)
)

// attributes holds a function and its parameters.
type attributes struct {
	f                  function
	min, max           float64 // Clamp
	alpha              float64 // Elu
	negative, positive bool    // IsInf: the infinities to report
}

func parseClamp(a *ir.Attributes) attributes {
	a.Expect("min")
	a.Expect("max")
	at := attributes{f: clamp, min: a.Float("min", 0), max: a.Float("max", 0)}
	if !(at.min <= at.max) {
		a.Fail("min", "%v is not at most max, %v", at.min, at.max)
	}
	return at
}

func parseElu(a *ir.Attributes) attributes {
	a.Expect("alpha")
	return attributes{f: elu, alpha: a.Float("alpha", 0)}
}

func parseGelu(a *ir.Attributes) attributes {
	if a.Enum("approximation_mode", "erf", "ERF", "TANH") == "tanh" {
		return attributes{f: geluTanh}
	}
	return attributes{f: geluErf}
}

func parseIsInf(a *ir.Attributes) attributes {
	return attributes{f: isInf, negative: a.Bool("detect_negative", true), positive: a.Bool("detect_positive", true)}
}

func parseRound(a *ir.Attributes) attributes {
	if a.Enum("mode", "half_to_even", "half_to_even", "half_away_from_zero") == "half_to_even" {
		return attributes{f: roundHalfToEven}
	}
	return attributes{f: roundHalfAway}
}

// types returns the element types that f has kernels for.
func types(f function) []ir.ElementType {
	floats := []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16}
	integers := []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64}
	switch f {
	case logicalNot:
		return []ir.ElementType{ir.Boolean}
	case bitwiseNot:
		return append([]ir.ElementType{ir.Boolean}, integers...)
	case erfInv, geluErf, geluTanh, isFinite, isInf, isNaN, mish, softPlus, softSign:
		return floats
	}
	return append(floats, integers...)
}
