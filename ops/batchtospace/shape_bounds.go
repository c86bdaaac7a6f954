package batchtospace

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/bounds"
	"github.com/vinoir/vinoir/ops/internal/spaceblock"
)

// inferBounds moves the known values of data to the output. Like OpenVINO, it does so only if
// block_shape and the crops are i64.
func inferBounds(in *ops.Inference) {
	data, out, ok := bounds.ShapesIfKnown(in)
	if !ok || in.Inputs[1].Type != ir.I64 {
		return
	}
	v := spaceblock.ValuesOf(in.Inputs)
	if v.Block[0] != 1 || v.Begin[0] != 0 || v.End[0] != 0 {
		return
	}
	bounds.Move(in, func(i int) int {
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
