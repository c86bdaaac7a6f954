package topk

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	data, k := &in.Inputs[0], &in.Inputs[1]
	if at.narrowK && k.Type != ir.I8 && k.Type != ir.I32 && k.Type != ir.I64 {
		return faults.Errorf("k is %v, expected i8, i32 or i64", k.Type)
	}
	if err := check.Integer("k", k.Type); err != nil {
		return err
	}
	if data.Shape.RankKnown() && data.Shape.Rank() == 0 {
		return errors.New("data is a scalar, which has no axis")
	}
	if err := check.Rank("k", k.Shape, 0); err != nil {
		return err
	}
	shape, err := outputShape(data.Shape, k, at.axis)
	if err != nil {
		return err
	}
	return ops.SetOutputs(in, ir.Fact{Type: data.Type, Shape: shape}, ir.Fact{Type: at.indexType, Shape: shape})
}

// outputShape returns data with k as the length of axis. If k is not a single value, the length of
// axis limits it. As in OpenVINO, the result then has no upper bound if axis has none.
func outputShape(data ir.PartialShape, k *ir.Fact, axis int64) (ir.PartialShape, error) {
	if !data.RankKnown() {
		return data, nil
	}
	at, err := index.Axis(axis, data.Rank())
	if err != nil {
		return data, err
	}
	length := data.At(at)
	values := k.Intervals()
	if len(values) != 1 {
		if err := check.Int64("k", k); err != nil {
			return data, err
		}
		return data.With(at, ir.DimRange(0, length.Max)), nil
	}
	d, err := check.Length("k", values[0])
	if err != nil {
		return data, err
	}
	if d.IsDynamic() {
		d = ir.DimRange(min(length.Min, d.Min), min(length.Max, d.Max))
		if length.Max == ir.Unbounded {
			d.Max = ir.Unbounded
		}
	}
	return data.With(at, d), nil
}
