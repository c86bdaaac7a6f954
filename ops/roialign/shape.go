package roialign

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	data, rois, batches := in.Inputs[0].Shape, in.Inputs[1].Shape, in.Inputs[2].Shape
	t, ok := ir.MergeElementTypes(in.Inputs[0].Type, in.Inputs[1].Type)
	if !ok {
		return faults.Errorf("data is %v, rois is %v", in.Inputs[0].Type, in.Inputs[1].Type)
	}
	if err := check.KnownReal("data", t); err != nil {
		return err
	}
	if err := check.Integer("batch_indices", in.Inputs[2].Type); err != nil {
		return err
	}
	for i, c := range []struct {
		name string
		rank int
	}{{"data", 4}, {"rois", 2}, {"batch_indices", 1}} {
		if err := check.Rank(c.name, in.Inputs[i].Shape, c.rank); err != nil {
			return err
		}
	}
	if n := at.coordinates(); !rois.At(1).Contains(n) {
		return faults.Errorf("rois has shape %v, expected %d coordinates of each region", rois, n)
	}
	regions, ok := rois.At(0).Merge(batches.At(0))
	if !ok {
		return faults.Errorf("rois has shape %v, batch_indices has shape %v: the numbers of regions differ", rois, batches)
	}
	in.Outputs[0].Type = t
	in.Outputs[0].Shape = ir.ShapeOf(regions, data.At(1), ir.DimOfInt(at.pooledH), ir.DimOfInt(at.pooledW))
	return nil
}
