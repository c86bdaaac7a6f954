package bytestochars

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/tokenizing"
)

const skips = 5

func inferChars(in *ops.Inference) error {
	if err := tokenizing.CheckRaggedStrings(in); err != nil {
		return err
	}
	rows, strings := in.Inputs[0].Shape, in.Inputs[2].Shape
	facts := []ir.Fact{
		{Type: ir.I32, Shape: rows},
		{Type: ir.I32, Shape: rows},
		{Type: ir.I32, Shape: strings},
		{Type: ir.I32, Shape: strings},
		{Type: ir.U8, Shape: ir.ShapeOf(ir.AnyDim)},
	}
	if len(in.Inputs) > skips {
		if t := in.Inputs[skips].Type; t != ir.Boolean {
			return faults.Errorf("skips is %v, expected boolean", t)
		}
		facts = append(facts, ir.Fact{Type: ir.Boolean, Shape: in.Inputs[skips].Shape})
	}
	return ops.SetOutputs(in, facts...)
}

func inferBytes(in *ops.Inference) error {
	if err := tokenizing.CheckRaggedStrings(in); err != nil {
		return err
	}
	rows := in.Inputs[0].Shape
	return ops.SetOutputs(in,
		ir.Fact{Type: ir.I32, Shape: rows},
		ir.Fact{Type: ir.I32, Shape: rows},
		ir.Fact{Type: ir.U8, Shape: ir.ShapeOf(ir.AnyDim)})
}
