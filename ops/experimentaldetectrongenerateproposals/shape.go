package experimentaldetectrongenerateproposals

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

func infer(in *ops.Inference) error {
	t, err := detection.OneRealType(in.Inputs)
	if err != nil {
		return err
	}
	for i, part := range []struct {
		name string
		rank int
	}{{"im_info", 1}, {"anchors", 2}, {"deltas", 3}, {"scores", 3}} {
		if err := check.Rank(part.name, in.Inputs[i].Shape, part.rank); err != nil {
			return err
		}
	}
	if err := detection.CheckAxis("im_info", in.Inputs[0].Shape, 0, 3); err != nil {
		return err
	}
	if err := detection.CheckAxis("anchors", in.Inputs[1].Shape, 1, 4); err != nil {
		return err
	}
	for axis := 1; axis < 3; axis++ {
		if err := detection.CheckSame("deltas", in.Inputs[2].Shape, axis, "scores", in.Inputs[3].Shape, axis); err != nil {
			return err
		}
	}
	n := ir.DimOfInt(in.Attributes.(attributes).postNMSCount)
	return ops.SetOutputs(in,
		ir.Fact{Type: t, Shape: ir.ShapeOf(n, ir.Dim(4))},
		ir.Fact{Type: t, Shape: ir.ShapeOf(n)})
}
