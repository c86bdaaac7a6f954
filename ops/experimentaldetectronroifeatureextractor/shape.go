package experimentaldetectronroifeatureextractor

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
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
	rois := in.Inputs[0].Shape
	if err := check.Rank("rois", rois, 2); err != nil {
		return err
	}
	if err := detection.CheckAxis("rois", rois, 1, 4); err != nil {
		return err
	}
	channels := ir.AnyDim
	for i := range in.Inputs[1:] {
		name, level := fmt.Sprintf("level %d", i), in.Inputs[1+i].Shape
		if err := check.Rank(name, level, 4); err != nil {
			return err
		}
		if err := detection.CheckAxis(name, level, 0, 1); err != nil {
			return err
		}
		merged, ok := channels.Merge(level.At(1))
		if !ok {
			return faults.Errorf("%s has %v channels, the levels before it %v", name, level.At(1), channels)
		}
		channels = merged
	}
	size := ir.DimOfInt(in.Attributes.(*attributes).outputSize)
	return ops.SetOutputs(in,
		ir.Fact{Type: t, Shape: ir.ShapeOf(rois.At(0), channels, size, size)},
		ir.Fact{Type: t, Shape: ir.ShapeOf(rois.At(0), ir.Dim(4))})
}
