package randomuniform

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

var names = [...]string{"shape", "minval", "maxval"}

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	shape := &in.Inputs[0]
	if err := check.Index("shape", shape.Type); err != nil {
		return err
	}
	if err := check.Rank("shape", shape.Shape, 1); err != nil {
		return err
	}
	for i := 1; i < len(in.Inputs); i++ {
		input := &in.Inputs[i]
		if input.Type != at.outputType {
			return faults.Errorf("%s is %v, output_type is %v", names[i], input.Type, at.outputType)
		}
		if err := check.OneElement(names[i], input.Shape); err != nil {
			return err
		}
	}
	if err := checkRange(&in.Inputs[1], &in.Inputs[2]); err != nil {
		return err
	}
	var err error
	in.Outputs[0].Type = at.outputType
	in.Outputs[0].Shape, err = outputShape(in)
	return err
}

// outputShape returns the shape that the first input holds. If that is unknown, the rank is the
// greatest length that the input can have, as in OpenVINO.
func outputShape(in *ops.Inference) (ir.PartialShape, error) {
	if err := check.AxisCount(names[0], in.Inputs[0].Shape); err != nil {
		return ir.PartialShape{}, err
	}
	dims, known, err := check.Lengths(in, 0, names[0])
	if known || err != nil {
		return ir.ShapeOf(dims...), err
	}
	if rank := in.Inputs[0].Shape.At(0).Max; rank <= ir.MaxRank {
		return ir.ShapeOfRank(int(rank)), nil
	}
	return ir.UnknownRank, nil
}

// checkRange checks that minval is below maxval if both are known.
func checkRange(lo, hi *ir.Fact) error {
	a, aKnown := scalar(lo)
	b, bKnown := scalar(hi)
	if aKnown && bKnown && a >= b {
		return faults.Errorf("minval %v is not below maxval %v", a, b)
	}
	return nil
}

// scalar returns the value of a fact of one element; false if it is unknown.
func scalar(f *ir.Fact) (float64, bool) {
	if values, ok := f.Ints(); ok && len(values) == 1 {
		return float64(values[0]), true
	}
	return check.Float(f)
}
