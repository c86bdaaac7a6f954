package split

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func inferSplit(in *ops.Inference) error {
	data, axisInput, splits := in.Inputs[0].Shape, &in.Inputs[1], in.Attributes.(attributes).splits
	if err := check.Integer("axis", axisInput.Type); err != nil {
		return err
	}
	if err := check.Rank("axis", axisInput.Shape, 0); err != nil {
		return err
	}
	if n := int64(len(in.Outputs)); n > splits {
		return faults.Errorf("the layer has %d outputs, num_splits is %d", n, splits)
	}
	axis, known, err := axisOf(axisInput, data)
	if err != nil {
		return err
	}
	if !known {
		setOutputs(in, func(int) ir.PartialShape { return anyOfRank(data) })
		return nil
	}
	d := data.At(axis)
	switch {
	case d.IsStatic() && d.Min%splits != 0:
		return faults.Errorf("axis %d of data has %v elements, which are not %d pieces of one length", axis, d, splits)
	case d.IsDynamic() && d.Max < splits:
		return faults.Errorf("axis %d of data has %v elements, fewer than %d pieces", axis, d, splits)
	case d.IsStatic():
		d = ir.Dim(d.Min / splits)
	default:
		d.Min /= splits
		if d.Max != ir.Unbounded {
			d.Max /= splits
		}
	}
	piece := data.With(axis, d)
	setOutputs(in, func(int) ir.PartialShape { return piece })
	return nil
}

func inferVariadic(in *ops.Inference) error {
	data, axisInput, lengthsInput := in.Inputs[0].Shape, &in.Inputs[1], &in.Inputs[2]
	// OpenVINO does not check the types of axis and split_lengths here.
	if err := check.OneElement("axis", axisInput.Shape); err != nil {
		return err
	}
	if err := check.Rank("split_lengths", lengthsInput.Shape, 1); err != nil {
		return err
	}
	if n := lengthsInput.Shape.Elements(); n.Max < int64(len(in.Outputs)) {
		return faults.Errorf("the layer has %d outputs, split_lengths has %v elements", len(in.Outputs), n)
	}
	axis, known, err := axisOf(axisInput, data)
	if err != nil {
		return err
	}
	if !known {
		setOutputs(in, func(int) ir.PartialShape { return anyOfRank(data) })
		return nil
	}
	lengths, known := lengthsInput.Ints()
	if known {
		if lengths, err = lengthsOf(lengths, axis, data.At(axis)); err != nil {
			return err
		}
	}
	setOutputs(in, func(k int) ir.PartialShape {
		if !known || lengths[k] < 0 {
			return data.With(axis, ir.AnyDim)
		}
		return data.With(axis, ir.Dim(lengths[k]))
	})
	return nil
}

// lengthsOf checks split_lengths for an axis of length d. If d is static, it replaces -1 by the
// rest.
func lengthsOf(lengths []int64, axis int, d ir.Dimension) ([]int64, error) {
	lengths = slices.Clone(lengths)
	rest, sum := -1, int64(0)
	for k, n := range lengths {
		switch {
		case n < -1:
			return nil, faults.Errorf("split_lengths[%d] is %d, less than -1", k, n)
		case n == -1 && rest >= 0:
			return nil, faults.Errorf("split_lengths[%d] is -1, and split_lengths[%d] before it", k, rest)
		case n == -1:
			rest = k
		case n > math.MaxInt64-sum:
			return nil, faults.Errorf("split_lengths adds up to more than 2^63-1 at split_lengths[%d]", k)
		default:
			sum += n
		}
	}
	if d.IsDynamic() {
		return lengths, nil
	}
	if sum > d.Min || rest < 0 && sum < d.Min {
		return nil, faults.Errorf("split_lengths adds up to %d, axis %d of data has %v elements", sum, axis, d)
	}
	if rest >= 0 {
		lengths[rest] = d.Min - sum
	}
	return lengths, nil
}

// axisOf returns the axis that input specifies. known is false if input or the rank of data is
// unknown.
func axisOf(input *ir.Fact, data ir.PartialShape) (axis int, known bool, err error) {
	values, known := input.Ints()
	if !known || !data.RankKnown() {
		return 0, false, nil
	}
	if len(values) != 1 {
		return 0, false, faults.Errorf("axis has %d elements, expected one", len(values))
	}
	axis, err = index.Axis(values[0], data.Rank())
	return axis, err == nil, err
}

// anyOfRank returns the shape with data's rank and unknown lengths.
func anyOfRank(data ir.PartialShape) ir.PartialShape {
	if !data.RankKnown() {
		return ir.UnknownRank
	}
	return ir.ShapeOfRank(data.Rank())
}

func setOutputs(in *ops.Inference, shape func(k int) ir.PartialShape) {
	for k := range in.Outputs {
		in.Outputs[k].Type, in.Outputs[k].Shape = in.Inputs[0].Type, shape(k)
	}
}

// bounds splits the known values.
func bounds(in *ops.Inference) {
	values := in.Inputs[0].Bounds()
	data, err := in.Inputs[0].Shape.Static()
	if values == nil || err != nil {
		return
	}
	axis, known, err := axisOf(&in.Inputs[1], in.Inputs[0].Shape)
	if err != nil || !known {
		return
	}
	row, at := data[axis:].Elements(), 0
	for k := range in.Outputs {
		piece, err := in.Outputs[k].Shape.Static()
		if err != nil {
			return
		}
		run := piece[axis:].Elements()
		kept := make([]ir.Interval, 0, piece.Elements())
		for o := range data[:axis].Elements() {
			kept = append(kept, values[o*row+at:][:run]...)
		}
		in.Outputs[k].Values = kept
		at += run
	}
}
