package experimentaldetectrondetectionoutput

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	t, err := detection.OneRealType(in.Inputs)
	if err != nil {
		return err
	}
	regions, ranksKnown := ir.AnyDim, true
	for i, part := range []struct {
		name  string
		width ir.Dimension
	}{{"rois", ir.Dim(4)}, {"deltas", ir.DimOfInt(4 * at.classes)}, {"scores", ir.DimOfInt(at.classes)}} {
		s := in.Inputs[i].Shape
		if err := check.Rank(part.name, s, 2); err != nil {
			return err
		}
		if !s.RankKnown() {
			ranksKnown = false
			continue
		}
		if !s.At(1).Compatible(part.width) {
			return faults.Errorf("%s has shape %v: axis 1 is %v, expected %v", part.name, s, s.At(1), part.width)
		}
	}
	for i := 0; i < 3 && ranksKnown; i++ {
		merged, ok := regions.Merge(in.Inputs[i].Shape.At(0))
		if !ok {
			return faults.Errorf("input %d has %v regions, the inputs before it %v", i, in.Inputs[i].Shape.At(0), regions)
		}
		regions = merged
	}
	if info := in.Inputs[3].Shape; !info.Compatible(ir.StaticShape(1, 3)) {
		return faults.Errorf("im_info has shape %v, expected [1,3]", info)
	}
	n := ir.DimOfInt(at.maxDetections)
	return ops.SetOutputs(in,
		ir.Fact{Type: t, Shape: ir.ShapeOf(n, ir.Dim(4))},
		ir.Fact{Type: ir.I32, Shape: ir.ShapeOf(n)},
		ir.Fact{Type: t, Shape: ir.ShapeOf(n)})
}
