package spacetodepth

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

func infer(in *ir.Inference) error {
	at := in.Attributes.(attributes)
	data := in.Inputs[0].Shape
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, data
	if !data.RankKnown() {
		return nil
	}
	if data.Rank() < 3 {
		return fmt.Errorf("data has shape %v, expected rank 3 or more", data)
	}
	if at.blockSize < 1 {
		return fmt.Errorf("block_size %d is below 1", at.blockSize)
	}
	dims := make([]ir.Dimension, data.Rank())
	dims[0], dims[1] = data.At(0), data.At(1)
	for i := 2; i < len(dims); i++ {
		dims[1] = dims[1].Mul(ir.Dim(at.blockSize))
		var ok bool
		if dims[i], ok = data.At(i).Div(at.blockSize); !ok {
			return fmt.Errorf("axis %d of data of shape %v is no multiple of block_size %d", i, data, at.blockSize)
		}
	}
	in.Outputs[0].Shape = ir.ShapeOf(dims...)
	return nil
}
