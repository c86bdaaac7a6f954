package spacetodepth

import (
	"slices"

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
	block := int(at.BlockSize)
	strides := strided.Strides(data)
	channels := len(data) - 1 // the position of the channel axis among those of a block
	if at.DepthFirst {
		channels = 1
	}
	v := strided.View{Lengths: ir.Shape{data[0]}, Strides: []int{strides[0]}}
	for k := 2; k < len(data); k++ {
		v.Lengths, v.Strides = append(v.Lengths, block), append(v.Strides, strides[k])
	}
	v.Lengths, v.Strides = slices.Insert(v.Lengths, channels, data[1]), slices.Insert(v.Strides, channels, strides[1])
	for k := 2; k < len(data); k++ {
		v.Lengths, v.Strides = append(v.Lengths, data[k]/block), append(v.Strides, strides[k]*block)
	}
	return v
}
