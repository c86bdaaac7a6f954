package shufflechannels

import (
	"slices"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/bounds"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// inferBounds moves the known values of data to the output.
func inferBounds(in *ops.Inference) {
	at := in.Attributes.(attributes)
	shape, err := in.Inputs[0].Shape.Static()
	if err != nil {
		return
	}
	axis, err := index.Axis(at.axis, len(shape))
	if err != nil || at.group > ir.MaxValues {
		return
	}
	bounds.Move(in, viewOf(shape, axis, int(at.group)).At)
}

// viewOf returns the output as a view of data.
func viewOf(shape ir.Shape, axis, groups int) strided.View {
	n := shape[axis] / groups
	strides := strided.Strides(shape)
	return strided.View{
		Lengths: slices.Concat(shape[:axis], ir.Shape{n, groups}, shape[axis+1:]),
		Strides: slices.Concat(strides[:axis+1], []int{n * strides[axis]}, strides[axis+1:]),
	}
}
