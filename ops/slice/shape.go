package slice

import (
	"errors"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/slicing"
)

func infer(in *ops.Inference) error {
	data, out := in.Inputs[0].Shape, &in.Outputs[0]
	if data.Rank() == 0 {
		return errors.New("data is a scalar, which has no axis to slice")
	}
	ranges := slicing.Ranges(in.Inputs[1:])
	if err := ranges.CheckTypes(); err != nil {
		return err
	}
	out.Type = in.Inputs[0].Type
	if !data.RankKnown() {
		out.Shape = ir.UnknownRank // OpenVINO checks no more if the rank of data is unknown
		return nil
	}
	if err := ranges.CheckShapes(data.Rank()); err != nil {
		return err
	}
	dims, err := ranges.Dims(data)
	out.Shape = ir.ShapeOf(dims...)
	return err
}

// bounds copies the known values of the piece.
func bounds(in *ops.Inference) {
	data, errData := in.Inputs[0].Shape.Static()
	shape, err := in.Outputs[0].Shape.Static()
	values := in.Inputs[0].Bounds()
	if values == nil || errData != nil || err != nil || shape.Elements() > len(values) {
		return
	}
	view, err := slicing.Ranges(in.Inputs[1:]).View(data, shape)
	if err != nil {
		return
	}
	kept := make([]ir.Interval, shape.Elements())
	for i := range kept {
		kept[i] = values[view.At(i)]
	}
	in.Outputs[0].Values = kept
}
