package convert

import (
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// stage returns a conversion from f32 as the last stage of the layer before it. It returns nil if
// there is no vector code for the type of the output.
func stage(p *ops.Preparation, _ int) (*ops.Stage, error) {
	switch p.Outputs[0].Type {
	case ir.F16:
		return storing(half.F32sToF16s), nil
	case ir.BF16:
		return storing(half.F32sToBF16s), nil
	case ir.I32:
		return storing(f32ToI32), nil
	case ir.U8, ir.I8:
		return storing(f32ToU8), nil
	}
	return nil, nil
}

// storing returns a stage that converts with loop and stores the result. D is the Go type of the
// output's elements or a type of the same size.
func storing[D ir.Element](loop func(dst []D, src []float32)) *ops.Stage {
	return &ops.Stage{Store: func(r *ops.Run, x []float32, at int) {
		loop(ir.Data[D](r.Outputs[0])[at:at+len(x)], x)
	}}
}
