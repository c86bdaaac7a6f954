package segmentmax

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	data, ids := &in.Inputs[0], &in.Inputs[1]
	if err := checkInputs(in.Inputs); err != nil {
		return err
	}
	values, known := ids.Ints()
	if err := check.Sorted("segment_ids", values); err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	if !data.Shape.RankKnown() {
		return nil
	}
	segments := ir.AnyDim
	switch {
	case len(in.Inputs) > 2:
		var err error
		if segments, err = check.LengthOf(in, 2, "num_segments"); err != nil {
			return err
		}
	case known && len(values) > 0:
		last := min(values[len(values)-1], ir.Unbounded-1)
		segments = ir.DimOfInt(last + 1)
	case known:
		segments = ir.Dim(0)
	}
	in.Outputs[0].Shape = data.Shape.With(0, segments)
	return nil
}

func checkInputs(inputs []ir.Fact) error {
	data, ids := &inputs[0], &inputs[1]
	if err := check.Index("segment_ids", ids.Type); err != nil {
		return err
	}
	if data.Shape.Rank() == 0 {
		return errors.New("data is a scalar, which has no rows")
	}
	if err := check.Rank("segment_ids", ids.Shape, 1); err != nil {
		return err
	}
	if data.Shape.RankKnown() && ids.Shape.RankKnown() && !data.Shape.At(0).Compatible(ids.Shape.At(0)) {
		return faults.Errorf("segment_ids has shape %v, data of shape %v has another number of rows", ids.Shape, data.Shape)
	}
	if len(inputs) < 3 {
		return nil
	}
	if err := check.Index("num_segments", inputs[2].Type); err != nil {
		return err
	}
	return check.Rank("num_segments", inputs[2].Shape, 0)
}
