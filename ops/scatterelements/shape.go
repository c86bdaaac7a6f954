package scatterelements

import (
	"math"
	"math/bits"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	data, indices, updates, axis := &in.Inputs[dataInput], &in.Inputs[indicesInput], &in.Inputs[updatesInput], &in.Inputs[axisInput]
	t, ok := ir.MergeElementTypes(data.Type, updates.Type)
	switch at := in.Attributes.(attributes); {
	case !ok:
		return faults.Errorf("data is %v, updates are %v", data.Type, updates.Type)
	case indices.Type != ir.Dynamic && !indices.Type.IsIntegral():
		return faults.Errorf("indices are %v, not integers", indices.Type)
	case axis.Type != ir.Dynamic && !axis.Type.IsIntegral():
		return faults.Errorf("axis is %v, not an integer", axis.Type)
	case t == ir.Boolean && at.reduction == mean:
		return faults.Errorf("reduction mean is not defined for boolean")
	}
	if axis.Shape.RankKnown() && axis.Shape.Rank() > 1 {
		return faults.Errorf("axis has shape %v, which is not a single value", axis.Shape)
	}
	if data.Shape.RankKnown() && indices.Shape.RankKnown() && data.Shape.Rank() != indices.Shape.Rank() {
		return faults.Errorf("indices %v and data %v differ in rank", indices.Shape, data.Shape)
	}
	if _, ok := indices.Shape.Merge(updates.Shape); !ok {
		return faults.Errorf("indices are %v, updates are %v", indices.Shape, updates.Shape)
	}
	if values, ok := axis.Ints(); ok && data.Shape.RankKnown() {
		if len(values) != 1 {
			return faults.Errorf("axis has %d elements, not one", len(values))
		}
		if _, err := index.Axis(values[0], data.Shape.Rank()); err != nil {
			return err
		}
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = t, data.Shape
	return nil
}

// bounds follows the bounds of vectors, from which shapes are made, if all indices are known.
func bounds(in *ops.Inference) {
	at := in.Attributes.(attributes)
	data, updates := in.Inputs[dataInput].Bounds(), in.Inputs[updatesInput].Bounds()
	indices, ok := in.Inputs[indicesInput].Ints()
	if in.Outputs[0].Shape.Rank() != 1 || !ok || data == nil || updates == nil || len(indices) != len(updates) {
		return
	}
	if at.reduction != none && in.Outputs[0].Type.IsFloat() {
		return
	}
	values := slices.Clone(data)
	counts := make([]int64, len(data))
	for i, v := range indices {
		k := index.Resolve(v, len(values), true)
		if k < 0 {
			return
		}
		if counts[k] == 0 && !at.useInitVal {
			values[k] = updates[i]
		} else if values[k], ok = combine(at.reduction, values[k], updates[i]); !ok {
			return
		}
		counts[k]++
	}
	if at.reduction == mean {
		for k, n := range counts {
			if at.useInitVal {
				n++
			}
			if counts[k] > 0 {
				values[k] = ir.Interval{Min: divide(values[k].Min, n), Max: divide(values[k].Max, n)}
			}
		}
	}
	in.Outputs[0].Values = values
}

// combine returns the bounds of f(x, y). It returns false for products of numbers that may be
// negative, whose bounds are not followed.
func combine(f reduction, x, y ir.Interval) (ir.Interval, bool) {
	switch f {
	case sum, mean:
		return ir.Interval{Min: addBounds(x.Min, y.Min), Max: addBounds(x.Max, y.Max)}, true
	case minimum:
		return ir.Interval{Min: min(x.Min, y.Min), Max: min(x.Max, y.Max)}, true
	case maximum:
		return ir.Interval{Min: max(x.Min, y.Min), Max: max(x.Max, y.Max)}, true
	case prod:
		return ir.Interval{Min: multiplyBounds(x.Min, y.Min), Max: multiplyBounds(x.Max, y.Max)}, x.Min >= 0 && y.Min >= 0
	}
	return y, true
}

// addBounds returns a+b. The result is unbounded if a or b is, or if the sum overflows.
func addBounds(a, b int64) int64 {
	switch {
	case a == math.MinInt64 || b == math.MinInt64 || a < 0 && b < math.MinInt64-a:
		return math.MinInt64
	case a == math.MaxInt64 || b == math.MaxInt64 || a > 0 && b > math.MaxInt64-a:
		return math.MaxInt64
	}
	return a + b
}

// multiplyBounds returns a*b. The bounds must not be negative.
func multiplyBounds(a, b int64) int64 {
	if high, low := bits.Mul64(uint64(a), uint64(b)); high == 0 && low < math.MaxInt64 {
		return int64(low)
	}
	return math.MaxInt64
}

// divide returns a/n rounded down. A missing bound stays missing.
func divide(a, n int64) int64 {
	if a == math.MinInt64 || a == math.MaxInt64 {
		return a
	}
	q := a / n
	if a%n < 0 {
		q--
	}
	return q
}
