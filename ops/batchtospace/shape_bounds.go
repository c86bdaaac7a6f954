package batchtospace

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/blocks"
	"github.com/vinoir/vinoir/ops/internal/known"
)

// bounds moves known values. OpenVINO evaluates the layer where block_shape and the
// crops are i64.
func bounds(in *ir.Inference) {
	if _, ok := known.Output(in); !ok || in.Inputs[1].Type != ir.I64 {
		return
	}
	data, err := in.Inputs[0].Shape.Static()
	if err != nil {
		return
	}
	out, err := in.Outputs[0].Shape.Static()
	if err != nil {
		return
	}
	v := blocks.ValuesOf(in.Inputs)
	if v.Block[0] != 1 || v.Begin[0] != 0 || v.End[0] != 0 {
		return
	}
	known.Move(in, func(i int) int {
		position := index.Position(i, out)
		block, at := 0, 0
		for k := 1; k < len(out); k++ {
			c, b := position[k]+int(v.Begin[k]), int(v.Block[k])
			block = block*b + c%b
			at = at*data[k] + c/b
		}
		return (block*out[0]+position[0])*data[1:].Elements() + at
	})
}
