package adaptivepool

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func inferAvg(in *ops.Inference) error {
	shape, err := outputShape(in)
	if err != nil {
		return err
	}
	return ops.SetOutputs(in, ir.Fact{Type: in.Inputs[0].Type, Shape: shape})
}

func inferMax(in *ops.Inference) error {
	shape, err := outputShape(in)
	if err != nil {
		return err
	}
	indexType := in.Attributes.(maxAttributes).indexType
	return ops.SetOutputs(in, ir.Fact{Type: in.Inputs[0].Type, Shape: shape}, ir.Fact{Type: indexType, Shape: shape})
}

func outputShape(in *ops.Inference) (ir.PartialShape, error) {
	data, shape := in.Inputs[0].Shape, in.Inputs[1].Shape
	if !data.RankKnown() {
		return ir.UnknownRank, nil
	}
	n := data.Rank() - 2
	if n < 1 || n > 3 {
		return ir.PartialShape{}, faults.Errorf("data has shape %v, expected a rank from 3 to 5", data)
	}
	if shape.RankKnown() && (shape.Rank() == 0 || !shape.At(0).Contains(int64(n))) {
		return ir.PartialShape{}, faults.Errorf("output_shape has shape %v, data of shape %v has %d spatial axes", shape, data, n)
	}
	spatial, known, err := check.Lengths(in, 1, "output_shape")
	if err != nil {
		return ir.PartialShape{}, err
	}
	if !known {
		spatial = []ir.Dimension{ir.AnyDim, ir.AnyDim, ir.AnyDim}[:n]
	}
	if len(spatial) != n {
		return ir.PartialShape{}, faults.Errorf("output_shape has %d elements, data of shape %v has %d spatial axes", len(spatial), data, n)
	}
	return ir.ShapeOf(append([]ir.Dimension{data.At(0), data.At(1)}, spatial...)...), nil
}
