package reorgyolo

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	stride := in.Attributes.(attributes).stride
	data, out := in.Inputs[0].Shape, &in.Outputs[0]
	if err := check.Rank("data", data, 4); err != nil {
		return err
	}
	out.Type, out.Shape = in.Inputs[0].Type, ir.UnknownRank
	if !data.RankKnown() {
		return nil
	}
	block := ir.Dim(stride * stride)
	dims := slices.Clone(data.Dims())
	if dims[1].IsStatic() && dims[1].Min < block.Min {
		return faults.Errorf("data %v has %v channels, fewer than the square of stride %d", data, dims[1], stride)
	}
	dims[1] = dims[1].Mul(block)
	for i := 2; i < 4; i++ {
		var ok bool
		if dims[i], ok = dims[i].Div(stride); !ok {
			return faults.Errorf("dimension %d of data %v is no multiple of stride %d", i, data, stride)
		}
	}
	out.Shape = ir.ShapeOf(dims...)
	return nil
}
