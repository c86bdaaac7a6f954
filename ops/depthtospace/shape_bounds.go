package depthtospace

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/blocks"
	"github.com/vinoir/vinoir/ops/internal/known"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// bounds moves known values.
func bounds(in *ops.Inference) {
	data, _, ok := known.Shapes(in)
	if !ok || data.Elements() == 0 {
		return
	}
	known.Move(in, viewOf(in.Attributes.(blocks.Depth), data).At)
}

// viewOf returns what of data, which is not empty, the output is.
func viewOf(at blocks.Depth, data ir.Shape) strided.View {
	block, axes := int(at.Size), len(data)-2
	elements := 1
	for range axes {
		elements *= block
	}
	strides := strided.Strides(data)
	channels := data[1] / elements
	v := strided.View{Lengths: ir.Shape{data[0], channels}, Strides: []int{strides[0], strides[1]}}
	step := strides[1] * channels * elements // between elements of a block that differ along an axis
	if at.DepthFirst {
		v.Strides[1], step = strides[1]*elements, strides[1]*elements
	}
	for k := 2; k < len(data); k++ {
		step /= block
		v.Lengths = append(v.Lengths, data[k], block)
		v.Strides = append(v.Strides, strides[k], step)
	}
	return v
}
