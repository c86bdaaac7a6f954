package binaryconvolution

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	data, filters, out := in.Inputs[0].Shape, in.Inputs[1].Shape, &in.Outputs[0]
	if err := check.Number("data", in.Inputs[0].Type); err != nil {
		return err
	}
	if err := check.Rank("data", data, 4); err != nil {
		return err
	}
	out.Type, out.Shape = in.Inputs[0].Type, ir.UnknownRank
	n, err := at.SpatialAxes(data, filters, 2, -1)
	if err != nil || n < 0 {
		return err
	}
	if d, f := data.At(1), filters.At(1); !d.Compatible(f) {
		return faults.Errorf("data %v has %v channels, filters %v has %v", data, d, filters, f)
	}
	out.Shape, err = at.Convolve(data, filters, n, filters.At(0))
	return err
}
