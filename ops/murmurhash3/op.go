// Package murmurhash3 computes MurmurHash3: a hash of 32 bits of each element.
//
//	output[i] = MurmurHash3_x86_32(bytes of data[i], seed)
//
// Versions: the namespace vinoir. Models that are read from ONNX files have the layer, since none
// of OpenVINO's says it.
//
// Input: data of numbers with 32 or 64 bits, whose bytes are little endian, or strings.
//
// Output: the shape of data.
//
// Attributes: seed, 0 by default, of which the low 32 bits count; output_type, "u32" by default or
// "i32".
//
// Specification: ONNX Runtime has an operator of that name, com.microsoft.MurmurHash3. The function
// is that of Austin Appleby's smhasher.
package murmurhash3

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// types are those of data.
var types = []ir.ElementType{ir.I32, ir.U32, ir.I64, ir.U64, ir.F32, ir.F64, ir.String}

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "MurmurHash3", Namespace: "vinoir",
	Inputs:     ops.Exactly(1),
	Types:      types,
	Attributes: parse,
	Infer:      infer,
	Prepare:    prepare,
}}

// attributes are those of a layer.
type attributes struct {
	seed       uint32
	outputType ir.ElementType
}

func parse(a *ir.Attributes) (any, error) {
	at := attributes{uint32(a.Int("seed", 0)), a.ElementType("output_type", ir.U32)}
	if a.Err() == nil && at.outputType != ir.U32 && at.outputType != ir.I32 {
		return nil, faults.Errorf("output_type is %v, expected u32 or i32", at.outputType)
	}
	return at, a.Err()
}

func infer(in *ops.Inference) error {
	return ops.SetOutputs(in, ir.Fact{Type: in.Attributes.(attributes).outputType, Shape: in.Inputs[0].Shape})
}
