// Package rangeop computes Range: numbers at equal steps.
//
//	output[i] = start + i*step, for i from 0 to ceil((stop-start)/step) - 1
//
// Versions: Range-1, whose inputs and output have one type, and Range-4, whose output has the type
// in the attribute output_type. Range-4 converts its inputs to that type first and truncates them
// for integers. Inputs: the scalars start, stop, step. Element types: f32, f64, f16, bf16, i8 to
// i64, u8 to u64. Output: a vector; it is empty if step leads away from stop. Errors: a step of 0,
// an input that is not finite, and, for an integer output, an input out of range of an int64.
//
// Specification: OpenVINO operation set, generation, Range-1 and Range-4.
package rangeop

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	rangeOp(1, nil),
	rangeOp(4, parse),
}

func rangeOp(version int, parse func(*ir.Attributes) (any, error)) ops.Op {
	return ops.Op{
		Type: "Range", Version: version,
		Inputs:     ops.Exactly(3),
		Types:      types,
		PortTypes:  []ops.PortTypes{{Output: true, Types: types}},
		Attributes: parse,
		Values:     []int{0, 1, 2},
		Infer:      infer,
		Prepare:    prepare,
	}
}

var types = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
}

type attributes struct {
	outputType ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	t := a.ElementType("output_type", ir.Dynamic)
	if !t.IsFloat() && !t.IsInteger() {
		a.Fail("output_type", "%v is not the type of a number", t)
	}
	return attributes{t}, a.Err()
}
