package nmsrotated

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/detection"
)

func infer(in *ir.Inference) error {
	for i := range in.Inputs {
		switch t := in.Inputs[i].Type; {
		case t == ir.Dynamic:
		case i == 2 && !t.IsInteger():
			return fmt.Errorf("max_output_boxes_per_class is %v, not a type of integers", t)
		case i != 2 && !t.IsReal():
			return fmt.Errorf("input %d is %v, not a floating-point type", i, t)
		}
	}
	if err := detection.CheckNumbers(in.Inputs, true); err != nil {
		return err
	}
	if err := detection.CheckBoxes(in.Inputs[0].Shape, in.Inputs[1].Shape, 3, 5); err != nil {
		return err
	}
	selected, err := detection.Selected(in.Inputs)
	if err != nil {
		return err
	}
	t, rows := in.Attributes.(attributes).outputType, ir.ShapeOf(selected, ir.Dim(3))
	return ops.SetOutputs(in,
		ir.Fact{Type: t, Shape: rows},
		ir.Fact{Type: ir.F32, Shape: rows},
		ir.Fact{Type: t, Shape: ir.StaticShape(1)})
}
