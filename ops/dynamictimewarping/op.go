// Package dynamictimewarping finds the cheapest way through a matrix of costs, as Whisper aligns
// tokens with time.
//
// The way starts at the first element of the first row and ends at the last element of the last
// row. A step goes to the next row, to the next column, or to both. The cost of the way is the sum
// of its elements:
//
//	cost[i,j] = data[i,j] + min(cost[i-1,j-1], cost[i-1,j], cost[i,j-1])
//
// If the cheapest two or three steps to an element cost the same, the step along the row is taken,
// also if it is not one of them, as by Whisper and ONNX Runtime.
//
// Versions: the namespace vinoir. Models that are read from ONNX files have the layer, since none
// of OpenVINO's says it.
//
// Input: data, f32 [rows, columns], at least one element. Output: i32 [2, steps], the rows and the
// columns of the elements of the way.
//
// Specification: com.microsoft.DynamicTimeWarping of ONNX Runtime.
package dynamictimewarping

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "DynamicTimeWarping", Namespace: "vinoir",
	Inputs:  ops.Exactly(1),
	Infer:   infer,
	Types:   []ir.ElementType{ir.F32},
	Prepare: prepare,
}}

func infer(in *ops.Inference) error {
	data := &in.Inputs[0]
	if data.Type != ir.F32 && data.Type != ir.Dynamic {
		return faults.Errorf("data is %v, expected f32", data.Type)
	}
	if err := check.Rank("data", data.Shape, 2); err != nil {
		return err
	}
	steps := ir.AnyDim
	if data.Shape.RankKnown() {
		rows, columns := data.Shape.At(0), data.Shape.At(1)
		if rows.Max == 0 || columns.Max == 0 {
			return faults.Errorf("data has shape %v, expected at least one element", data.Shape)
		}
		if rows.Max < 1<<30 && columns.Max < 1<<30 {
			steps = ir.DimRange(max(rows.Min, columns.Min), rows.Max+columns.Max-1)
		}
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.I32, Shape: ir.ShapeOf(ir.Dim(2), steps)})
}
