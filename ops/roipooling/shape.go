package roipooling

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	data, rois := &in.Inputs[0], &in.Inputs[1]
	if !data.Type.IsReal() || data.Type != rois.Type {
		return faults.Errorf("data is %v, rois is %v, expected one floating-point type", data.Type, rois.Type)
	}
	regions, err := regionsOf(data.Shape, rois.Shape)
	if err != nil {
		return err
	}
	out := &in.Outputs[0]
	out.Type, out.Shape = data.Type, ir.ShapeOf(regions, data.Shape.At(1), ir.Dim(at.pooled[0]), ir.Dim(at.pooled[1]))
	return nil
}

func inferPositions(in *ops.Inference) error {
	at := in.Attributes.(*positions)
	data, rois := &in.Inputs[0], &in.Inputs[1]
	if !data.Type.IsReal() || !rois.Type.IsReal() {
		return faults.Errorf("data is %v, rois is %v, expected floating-point types", data.Type, rois.Type)
	}
	regions, err := regionsOf(data.Shape, rois.Shape)
	if err != nil {
		return err
	}
	bins := ir.Dim(at.groupSize).Mul(ir.Dim(at.groupSize))
	if at.mode == "bilinear" {
		bins = ir.Dim(at.spatialBinsX).Mul(ir.Dim(at.spatialBinsY))
	}
	if want := bins.Mul(ir.Dim(at.outputDim)); !data.Shape.At(1).Compatible(want) {
		return faults.Errorf("data %v has %v channels, output_dim %d in %v bins needs %v", data.Shape, data.Shape.At(1), at.outputDim, bins, want)
	}
	out := &in.Outputs[0]
	out.Type, out.Shape = data.Type, ir.ShapeOf(regions, ir.Dim(at.outputDim), ir.Dim(at.groupSize), ir.Dim(at.groupSize))
	return nil
}

func inferDeformable(in *ops.Inference) error {
	at := in.Attributes.(*deformable)
	for i, c := range []struct {
		name string
		rank int
	}{{"data", 4}, {"rois", 2}, {"offsets", 4}}[:len(in.Inputs)] {
		if err := check.Rank(c.name, in.Inputs[i].Shape, c.rank); err != nil {
			return err
		}
	}
	regions, out := in.Inputs[1].Shape.At(0), &in.Outputs[0]
	out.Type, out.Shape = in.Inputs[0].Type, ir.ShapeOf(regions, ir.Dim(at.outputDim), ir.Dim(at.groupSize), ir.Dim(at.groupSize))
	return nil
}

// regionsOf checks data and rois, and returns the number of regions.
func regionsOf(data, rois ir.PartialShape) (ir.Dimension, error) {
	if err := check.Rank("data", data, 4); err != nil {
		return ir.Dimension{}, err
	}
	if err := check.Rank("rois", rois, 2); err != nil {
		return ir.Dimension{}, err
	}
	if !rois.At(1).Contains(5) {
		return ir.Dimension{}, faults.Errorf("rois has shape %v, expected 5 elements for each region", rois)
	}
	return rois.At(0), nil
}
