package regionyolo

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	data, out := in.Inputs[0].Shape, &in.Outputs[0]
	if err := check.KnownReal("data", in.Inputs[0].Type); err != nil {
		return err
	}
	if err := check.Rank("data", data, 4); err != nil {
		return err
	}
	out.Type, out.Shape = in.Inputs[0].Type, ir.UnknownRank
	if !data.RankKnown() {
		return nil
	}
	if !at.doSoftmax {
		out.Shape = data.With(1, ir.Dim(at.classes+at.coords+1).Mul(ir.Dim(int64(len(at.mask)))))
		return nil
	}
	axis, err := index.Axis(at.axis, 4)
	if err != nil {
		return err
	}
	end, err := index.Axis(at.endAxis, 4)
	if err != nil {
		return faults.Errorf("end_axis: %w", err)
	}
	dims := slices.Clone(data.Dims())
	for i := axis + 1; i <= end; i++ {
		dims[axis] = dims[axis].Mul(dims[i])
	}
	// If end is before axis, nothing is flattened.
	out.Shape = ir.ShapeOf(slices.Delete(dims, axis+1, max(end, axis)+1)...)
	return nil
}
