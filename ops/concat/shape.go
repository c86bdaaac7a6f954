package concat

import (
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
)

func infer(in *ir.Inference) error {
	at := in.Attributes.(attributes)
	t := ir.Dynamic
	// The merge of all inputs, with the axis set aside, is the output but for
	// the axis, whose lengths add up.
	merged, sum := ir.UnknownRank, ir.Dim(0)
	for i, input := range in.Inputs {
		var ok bool
		if t, ok = ir.MergeElementTypes(t, input.Type); !ok {
			return fmt.Errorf("input %d is %v, the inputs before it are %v", i, input.Type, t)
		}
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
			return fmt.Errorf("input %d is %v, the inputs before it are %v but for axis %d", i, input.Shape, before, axis)
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

// bounds joins the values of vectors: the only concatenations that shapes are
// made of.
func bounds(in *ir.Inference) {
	if in.Outputs[0].Shape.Rank() != 1 {
		return
	}
	var values []ir.Interval
	for i := range in.Inputs {
		v := in.Inputs[i].Intervals()
		if v == nil {
			return
		}
		values = append(values, v...)
	}
	in.Outputs[0].Values = values
}
