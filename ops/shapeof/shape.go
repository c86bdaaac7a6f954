package shapeof

import (
	"math"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	rank := ir.AnyDim
	if s := in.Inputs[0].Shape; s.RankKnown() {
		rank = ir.Dim(int64(s.Rank()))
	}
	in.Outputs[0].Type = in.Attributes.(attributes).outputType
	in.Outputs[0].Shape = ir.ShapeOf(rank)
	return nil
}

// bounds sets the value of the output to the dimensions: a constant if the shape is static,
// otherwise intervals.
func bounds(in *ops.Inference) {
	s, out := in.Inputs[0].Shape, &in.Outputs[0]
	if !s.RankKnown() || s.Rank() > ir.MaxValues {
		return
	}
	if s.IsStatic() {
		if t, err := tensorOf(out.Type, s); err == nil {
			out.Tensor = t
			return
		}
	}
	out.Values = make([]ir.Interval, s.Rank())
	for i, d := range s.Dims() {
		out.Values[i] = ir.Interval(d)
		if out.Type == ir.I32 && d.Max >= math.MaxInt32 {
			// A bound that does not fit an i32 is unknown.
			out.Values[i].Max = math.MaxInt64
			if d.Min >= math.MaxInt32 {
				out.Values[i].Min = 0
			}
		}
	}
}

// tensorOf returns the dimensions of a static shape as a tensor of type t.
func tensorOf(t ir.ElementType, s ir.PartialShape) (*ir.Tensor, error) {
	tensor, err := ir.NewTensor(t, s.Rank())
	if err != nil {
		return nil, err
	}
	return tensor, fill(tensor, func(i int) int64 { return s.At(i).Min })
}
