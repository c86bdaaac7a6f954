package onehot

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/bounds"
)

// inferBounds sets the values of the output if all inputs are known.
func inferBounds(in *ops.Inference) {
	at := in.Attributes.(attributes)
	_, shape, ok := bounds.ShapesIfKnown(in)
	if t := in.Inputs[indicesPort].Type; !ok || t != ir.I32 && t != ir.I64 {
		return
	}
	axis, err := index.Axis(at.axis, len(shape))
	if err != nil {
		return
	}
	indices, _ := in.Inputs[indicesPort].Ints()
	on, _ := in.Inputs[onPort].Ints()
	off, _ := in.Inputs[offPort].Ints()
	l := index.Along(shape, axis)
	values := make([]int64, shape.Elements())
	for i := range values {
		values[i] = off[0]
		place := indices[i/(l.Length*l.Inner)*l.Inner+i%l.Inner]
		if place < 0 && at.normalize {
			place += int64(l.Length)
		}
		if place == int64(i/l.Inner%l.Length) {
			values[i] = on[0]
		}
	}
	bounds.SetValues(&in.Outputs[0], values)
}
