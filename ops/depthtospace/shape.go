package depthtospace

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/spaceblock"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(spaceblock.DepthAttributes)
	data := in.Inputs[0].Shape
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, data
	if !data.RankKnown() {
		return nil
	}
	if err := at.Check(data); err != nil {
		return err
	}
	dims := make([]ir.Dimension, data.Rank())
	dims[0] = data.At(0)
	block, elements := ir.Dim(at.BlockSize), ir.Dim(1)
	for i := 2; i < len(dims); i++ {
		dims[i] = data.At(i).Mul(block)
		elements = elements.Mul(block)
	}
	if elements.IsDynamic() {
		return faults.Errorf("blocks of block_size %d have more elements than an int64 counts", at.BlockSize)
	}
	var ok bool
	if dims[1], ok = data.At(1).Div(elements.Min); !ok {
		return faults.Errorf("axis 1 of data of shape %v is no multiple of %d, the elements of a block", data, elements.Min)
	}
	in.Outputs[0].Shape = ir.ShapeOf(dims...)
	return nil
}
