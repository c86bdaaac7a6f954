package reverse

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
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
	// the layer reports the error when it runs
	if view, err := viewOf(in.Attributes.(attributes), shape, axes); err == nil {
		bounds.Move(in, view.At)
	}
}

// viewOf returns the output as a view of data. axes holds the elements of reversed_axes.
func viewOf(at attributes, shape ir.Shape, axes []int64) (strided.View, error) {
	view := strided.View{Lengths: shape, Strides: strided.Strides(shape)}
	reversed := make([]bool, len(shape))
	for i, v := range axes {
		if at.mask {
			reversed[i] = v != 0
			continue
		}
		axis, err := index.Axis(v, len(shape))
		if err != nil {
			return view, err
		}
		reversed[axis] = true
	}
	for k, n := range shape {
		if reversed[k] && n > 0 {
			view.Offset += (n - 1) * view.Strides[k]
			view.Strides[k] = -view.Strides[k]
		}
	}
	return view, nil
}
