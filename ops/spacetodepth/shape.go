package spacetodepth

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
	dims[0], dims[1] = data.At(0), data.At(1)
	for i := 2; i < len(dims); i++ {
		dims[1] = dims[1].Mul(ir.Dim(at.BlockSize))
		var ok bool
		if dims[i], ok = data.At(i).Div(at.BlockSize); !ok {
			return faults.Errorf("axis %d of data of shape %v is no multiple of block_size %d", i, data, at.BlockSize)
		}
	}
	in.Outputs[0].Shape = ir.ShapeOf(dims...)
	return nil
}
