package priorbox

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

func infer(in *ir.Inference) error {
	names := [...]string{"output_size", "image_size"}
	for i := range in.Inputs {
		if t := in.Inputs[i].Type; t != ir.Dynamic && !t.IsInteger() {
			return fmt.Errorf("%s is %v, not a type of integers", names[i], t)
		}
	}
	if err := check.Rank(names[0], in.Inputs[0].Shape, 1); err != nil {
		return err
	}
	// As in OpenVINO nothing is asked of image_size while output_size is of any rank.
	if in.Inputs[0].Shape.RankKnown() {
		if err := check.Rank(names[1], in.Inputs[1].Shape, 1); err != nil {
			return err
		}
	}
	points, err := gridPoints(in)
	if err != nil {
		return err
	}
	n := ir.AnyDim
	if points != nil {
		n = points[0].Mul(points[1]).Mul(in.Attributes.(attributes).priors).Mul(ir.Dim(4))
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.F32, Shape: ir.ShapeOf(ir.Dim(2), n)})
}

// gridPoints returns the height and width of the grid, nil where nothing is known of
// them.
func gridPoints(in *ir.Inference) ([]ir.Dimension, error) {
	input := &in.Inputs[0]
	values := input.Intervals()
	if t := input.Tensor; t != nil && values == nil && t.Len() == 2 && t.ElementType() == ir.U64 {
		return nil, fmt.Errorf("output_size has a number beyond int64")
	}
	n := len(values)
	if input.Tensor != nil {
		n = input.Tensor.Len()
	}
	if (values != nil || input.Tensor != nil) && n != 2 {
		return nil, fmt.Errorf("output_size has %d numbers, expected 2", n)
	}
	if values == nil {
		return nil, nil
	}
	dims := make([]ir.Dimension, 2)
	for i, v := range values {
		if v.Known() && check.Constant(in.Layer, 0) {
			dims[i] = detection.Length(v.Min)
			continue
		}
		var err error
		if dims[i], err = check.Length(fmt.Sprintf("output_size[%d]", i), v); err != nil {
			return nil, err
		}
	}
	return dims, nil
}
