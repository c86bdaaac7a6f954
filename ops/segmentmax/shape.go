package segmentmax

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ir.Inference) error {
	data, ids := &in.Inputs[0], &in.Inputs[1]
	if err := checkInputs(in.Inputs); err != nil {
		return err
	}
	values, known := ids.Ints()
	if known && !slices.IsSorted(values) {
		return errors.New("segment_ids are not sorted")
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	if !data.Shape.RankKnown() {
		return nil
	}
	segments := ir.AnyDim
	switch {
	case len(in.Inputs) > 2:
		var err error
		if segments, err = segmentsOf(&in.Inputs[2], in.Layer); err != nil {
			return err
		}
	case known && len(values) > 0:
		last := min(values[len(values)-1], ir.Unbounded-1)
		segments = ir.DimOf(ir.Interval{Min: last + 1, Max: last + 1})
	case known:
		segments = ir.Dim(0)
	}
	dims := slices.Clone(data.Shape.Dims())
	dims[0] = segments
	in.Outputs[0].Shape = ir.ShapeOf(dims...)
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
		return fmt.Errorf("segment_ids has shape %v, data of shape %v has another number of rows", ids.Shape, data.Shape)
	}
	if len(inputs) < 3 {
		return nil
	}
	if err := check.Index("num_segments", inputs[2].Type); err != nil {
		return err
	}
	return check.Rank("num_segments", inputs[2].Shape, 0)
}

func segmentsOf(input *ir.Fact, layer *ir.Layer) (ir.Dimension, error) {
	values := input.Intervals()
	if len(values) != 1 {
		return ir.AnyDim, nil
	}
	if check.Constant(layer, 2) { // of which OpenVINO reads negative numbers as lengths too
		return ir.DimOf(values[0]), nil
	}
	return check.Length("num_segments", values[0])
}
