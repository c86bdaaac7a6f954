// Package unary computes the element-wise operations of one tensor that have no
// attributes:
//
//	output[i] = f(data[i])
//
//	Abs, Negative, Sign (-1, 0 or 1), Floor, Ceiling, Sqrt, Exp, Log, Erf, ErfInv
//	Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Asinh, Acosh, Atanh
//	Relu x where x > 0, else 0; Sigmoid 1/(1+exp(-x)); SoftSign x/(1+|x|)
//	SoftPlus ln(exp(x)+1); Mish x*tanh(SoftPlus(x))
//	HSigmoid min(max(x+3, 0), 6)/6; HSwish x*HSigmoid(x)
//	IsNaN, IsFinite: boolean
//	LogicalNot, and BitwiseNot, which is ^x for integers and "not" for booleans
//
// Versions: -1, but Acosh-4, Asinh-4, Atanh-4, HSwish-4, Mish-4, SoftPlus-4,
// HSigmoid-5, SoftSign-9, IsFinite-10, IsNaN-10, BitwiseNot-13 and ErfInv-17.
// Input: data of type T. Output: its type, unless said otherwise, and its shape.
//
// T: f32, f64, f16 and bf16, which are computed in f32 and rounded once; integers
// of whole bytes, which wrap, and for which a function without integer values is
// rounded to the nearest, ties to even, and clamped to the type. SoftSign,
// SoftPlus, Mish, IsNaN and IsFinite take floats only. Exp, Sigmoid and Tanh of f32
// are within three units in the last place where vector code computes them.
//
// Specification: OpenVINO operation set, arithmetic, activation, comparison,
// logical, bitwise.
package unary

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
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
	withAttributes("Clamp", 1, parseClamp, inferNumber, clampBounds),
	unary("Cos", 1, cos, inferNumber),
	unary("Cosh", 1, cosh, inferNumber),
	withAttributes("Elu", 1, parseElu, inferAny, nil),
	unary("Erf", 1, erf, inferNumber),
	unary("ErfInv", 17, erfInv, inferNumber),
	unary("Exp", 1, exp, inferNumber),
	unary("Floor", 1, floor, inferNumber),
	withAttributes("Gelu", 2, func(*ir.Attributes) attributes { return attributes{f: geluErf} }, inferFloat, nil),
	withAttributes("Gelu", 7, parseGelu, inferFloat, nil),
	unary("HSigmoid", 5, hSigmoid, inferNumber),
	unary("HSwish", 4, hSwish, inferNumber),
	unary("IsFinite", 10, isFinite, inferTest),
	withAttributes("IsInf", 10, parseIsInf, inferTest, nil),
	unary("IsNaN", 10, isNaN, inferTest),
	unary("Log", 1, log, inferNumber),
	unary("LogicalNot", 1, logicalNot, inferAny),
	unary("Mish", 4, mish, inferFloat),
	unary("Negative", 1, negative, inferNumber),
	unary("Relu", 1, relu, inferNumber),
	withAttributes("Round", 5, parseRound, inferAny, nil),
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

func unary(layerType string, version int, f function, infer func(*ir.Inference) error) ops.Op {
	return ops.Op{
		Type: layerType, Version: version,
		MinInputs: 1, MaxInputs: 1,
		Types:   types(f),
		Infer:   infer,
		Bounds:  bounds(f),
		InPlace: []int{0},
		Prepare: func(p *ops.Preparation) (ops.Kernel, error) { return prepare(p, f) },
	}
}

// withAttributes is unary for a layer type with attributes.
func withAttributes(layerType string, version int, parse func(*ir.Attributes) attributes, infer func(*ir.Inference) error, bounds func(*ir.Inference)) ops.Op {
	return ops.Op{
		Type: layerType, Version: version,
		MinInputs: 1, MaxInputs: 1,
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a), a.Err() },
		Infer:      infer,
		Bounds:     bounds,
		InPlace:    []int{0},
	}
}

// attributes are a function and its parameters.
type attributes struct {
	f                  function
	min, max           float64 // of Clamp
	alpha              float64 // of Elu
	negative, positive bool    // of IsInf: the infinities that count
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
	if a.Enum("approximation_mode", "erf", "erf", "tanh") == "tanh" {
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

// types returns the element types that f is computed for.
func types(f function) []ir.ElementType {
	floats := []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16}
	integers := []ir.ElementType{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64}
	switch f {
	case logicalNot:
		return []ir.ElementType{ir.Boolean}
	case bitwiseNot:
		return append([]ir.ElementType{ir.Boolean}, integers...)
	case isFinite, isNaN, mish, softPlus, softSign:
		return floats
	}
	return append(floats, integers...)
}
