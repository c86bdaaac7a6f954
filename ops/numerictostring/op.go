// Package numerictostring writes numbers as strings.
//
// Versions: NumericToString of the namespace openvino_tokenizers. Input: data of type T. Output:
// strings of the shape of data. T: f32, f64, i8 to i64, u8 to u64, boolean.
//
// Integers are decimal. Floats have six significant digits, as a C++ stream writes them: 1.5,
// 1e+06, inf, nan. As in OpenVINO's CPU plugin, which computes in types of 32 bits, i64, u32 and
// u64 are written modulo 2³² as i32, f64 is written as the nearest f32, and booleans as 1 and 0.
//
// Specification: OpenVINO Tokenizers, src/numeric_to_string.cpp.
package numerictostring

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "NumericToString", Namespace: "openvino_tokenizers",
	Inputs:  ops.Exactly(1),
	Types:   types,
	Infer:   infer,
	Prepare: prepare,
}}

var types = []ir.ElementType{
	ir.F32, ir.F64, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64, ir.Boolean,
}
