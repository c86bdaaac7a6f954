package reverse

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/bounds"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// inferBounds moves the known values of data to the output.
func inferBounds(in *ops.Inference) {
	shape, _, ok := bounds.ShapesIfKnown(in)
	if !ok {
		return
	}
	axes, _ := in.Inputs[1].Ints()
	reversed := make([]bool, len(shape))
	for i, v := range axes {
		if in.Attributes.(attributes).mask {
			reversed[i] = v != 0
			continue
		}
		axis, err := index.Axis(v, len(shape))
		if err != nil {
			return // the layer reports the error when it runs
		}
		reversed[axis] = true
	}
	view := strided.View{Lengths: shape, Strides: strided.Strides(shape)}
	for k, n := range shape {
		if reversed[k] && n > 0 {
			view.Offset += (n - 1) * view.Strides[k]
			view.Strides[k] = -view.Strides[k]
		}
	}
	bounds.Move(in, view.At)
}
