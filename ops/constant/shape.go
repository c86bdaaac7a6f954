package constant

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	in.Outputs[0] = ir.Fact{Type: at.elementType, Shape: at.shape, Tensor: in.Layer.Constant}
	return nil
}
