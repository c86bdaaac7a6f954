package mvn

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

func infer(in *ir.Inference) error {
	data := &in.Inputs[0]
	if len(in.Inputs) > 1 && in.Inputs[1].Shape.IsStatic() {
		axes := in.Inputs[1].Shape
		if axes.Rank() != 1 {
			return fmt.Errorf("axes has shape %v, not that of a vector", axes)
		}
		if data.Shape.RankKnown() && axes.At(0).Min > int64(data.Shape.Rank()) {
			return fmt.Errorf("axes has shape %v, more than the axes of data, %v", axes, data.Shape)
		}
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	return nil
}
