package activation

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// stage returns the layer as a stage of the layer that produces data; nil if input `through` is not
// data or if a parameter does not have exactly one element.
func stage(p *ops.Preparation, f function, through int) *ops.Stage {
	if through != 0 {
		return nil
	}
	for i := range p.Inputs[1:] {
		if p.Inputs[i+1].Shape.Elements() != ir.Dim(1) {
			return nil
		}
	}
	l, operands := loopOf[float32](f), p.Operands[1:]
	return &ops.Stage{Apply: func(r *ops.Run, x []float32, _ int) {
		parameters := [2]float32{1, 1}
		for i, operand := range operands {
			parameters[i] = ir.Data[float32](r.Inputs[operand])[0]
		}
		l(x, x, parameters[0], parameters[1])
	}}
}
