package depthtospace

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/bounds"
	"github.com/vinoir/vinoir/ops/internal/spaceblock"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// inferBounds moves the known values of data to the output.
func inferBounds(in *ops.Inference) {
	data, _, ok := bounds.ShapesIfKnown(in)
	if !ok || data.Elements() == 0 {
		return
	}
	bounds.Move(in, viewOf(in.Attributes.(spaceblock.DepthAttributes), data).At)
}

// viewOf returns the output as a view of data, which must not be empty.
func viewOf(at spaceblock.DepthAttributes, data ir.Shape) strided.View {
	block, axes := int(at.BlockSize), len(data)-2
	elements := 1
	for range axes {
		elements *= block
	}
	strides := strided.Strides(data)
	channels := data[1] / elements
	v := strided.View{Lengths: ir.Shape{data[0], channels}, Strides: []int{strides[0], strides[1]}}
	// The loop divides step before each use. After the division it is the distance in data between
	// neighbours in a block along the axis.
	step := strides[1] * channels * elements
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
