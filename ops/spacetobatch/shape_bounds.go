package spacetobatch

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/bounds"
	"github.com/vinoir/vinoir/ops/internal/spaceblock"
)

// inferBounds moves the known values of data to the output. Like OpenVINO, it does so only if data
// has rank 3 to 5, and block_shape and the pads are i64.
func inferBounds(in *ops.Inference) {
	data, out, ok := bounds.ShapesIfKnown(in)
	if !ok || in.Inputs[1].Type != ir.I64 || in.Inputs[2].Type != ir.I64 || in.Inputs[3].Type != ir.I64 {
		return
	}
	v := spaceblock.ValuesOf(in.Inputs)
	if len(data) < 3 || len(data) > 5 || len(v.Block) != len(data) || v.Block[0] != 1 || v.Begin[0] != 0 || v.End[0] != 0 {
		return
	}
	bounds.Move(in, func(i int) int {
		position := index.Position(i, out)
		block, at := position[0]/data[0], position[0]%data[0]
		offsets := make([]int, len(out))
		for k := len(out) - 1; k > 0; k-- {
			offsets[k] = block % int(v.Block[k])
			block /= int(v.Block[k])
		}
		for k := 1; k < len(out); k++ {
			c := position[k]*int(v.Block[k]) + offsets[k] - int(v.Begin[k])
			if c < 0 || c >= data[k] {
				return -1
			}
			at = at*data[k] + c
		}
		return at
	})
}
