package priorbox

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	names := [...]string{"output_size", "image_size"}
	for i := range in.Inputs {
		if err := check.Integer(names[i], in.Inputs[i].Type); err != nil {
			return err
		}
	}
	if err := check.Rank(names[0], in.Inputs[0].Shape, 1); err != nil {
		return err
	}
	// Like OpenVINO, check image_size only if the rank of output_size is known.
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

// gridPoints returns the height and width of the grid; nil if they are unknown.
func gridPoints(in *ops.Inference) ([]ir.Dimension, error) {
	points, known, err := check.Lengths(in, 0, "output_size")
	n := len(points)
	if t := in.Inputs[0].Tensor; t != nil {
		n, known = t.Len(), true
	}
	if err == nil && known && n != 2 {
		err = faults.Errorf("output_size has %d numbers, expected 2", n)
	}
	return points, err
}
