package concat

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	t := ir.Dynamic
	// merged is the merge of all shapes with an unknown length along the axis. sum is the length of
	// the output along the axis.
	merged, sum := ir.UnknownRank, ir.Dim(0)
	for i, input := range in.Inputs {
		both, ok := ir.MergeElementTypes(t, input.Type)
		if !ok {
			return faults.Errorf("input %d is %v, the inputs before it are %v", i, input.Type, t)
		}
		t = both
		if !input.Shape.RankKnown() {
			sum = sum.Add(ir.AnyDim)
			continue
		}
		axis, err := index.Axis(at.axis, input.Shape.Rank())
		if err != nil {
			return err
		}
		sum = sum.Add(input.Shape.At(axis))
		dims := slices.Clone(input.Shape.Dims())
		dims[axis] = ir.AnyDim
		before := merged
		if merged, ok = merged.Merge(ir.ShapeOf(dims...)); !ok {
			return faults.Errorf("input %d is %v, the inputs before it are %v but for axis %d", i, input.Shape, before, axis)
		}
	}
	if merged.RankKnown() {
		axis, err := index.Axis(at.axis, merged.Rank())
		if err != nil {
			return err
		}
		dims := slices.Clone(merged.Dims())
		dims[axis] = sum
		merged = ir.ShapeOf(dims...)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = t, merged
	return nil
}

// bounds joins the known values in the order of the kernel.
func bounds(in *ops.Inference) {
	shape, err := in.Outputs[0].Shape.Static()
	if err != nil || in.Outputs[0].Shape.Elements().Max > ir.MaxValues {
		return
	}
	axis, err := index.Axis(in.Attributes.(attributes).axis, len(shape))
	if err != nil {
		return
	}
	values := make([]ir.Interval, shape.Elements())
	row, at := shape[axis:].Elements(), 0
	for i := range in.Inputs {
		part, err := in.Inputs[i].Shape.Static()
		known := in.Inputs[i].Bounds()
		if err != nil || known == nil || len(known) != part.Elements() {
			return
		}
		n := part[axis:].Elements()
		for k, v := range known {
			values[k/n*row+at+k%n] = v
		}
		at += n
	}
	in.Outputs[0].Values = values
}
