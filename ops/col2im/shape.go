package col2im

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	data, outputSize, kernelSize := in.Inputs[0].Shape, &in.Inputs[1], &in.Inputs[2]
	if outputSize.Type != kernelSize.Type {
		return faults.Errorf("output_size is %v, kernel_size is %v", outputSize.Type, kernelSize.Type)
	}
	if err := check.KnownIndex("output_size", outputSize.Type); err != nil {
		return err
	}
	if r := data.Rank(); data.RankKnown() && r != 2 && r != 3 {
		return faults.Errorf("data has shape %v, expected rank 2 or 3", data)
	}
	for i, name := range [...]string{"output_size", "kernel_size"} {
		if s := in.Inputs[1+i].Shape; s.RankKnown() && !s.Equal(ir.StaticShape(2)) {
			return faults.Errorf("%s has shape %v, expected [2]", name, s)
		}
	}
	out := &in.Outputs[0]
	out.Type, out.Shape = in.Inputs[0].Type, ir.UnknownRank
	if !data.RankKnown() {
		return nil
	}
	kernel, kernelKnown, err := kernelOf(kernelSize)
	if err != nil {
		return err
	}
	size, known, err := check.Lengths(in, 1, "output_size")
	if err != nil {
		return err
	}
	if !known {
		size = []ir.Dimension{ir.AnyDim, ir.AnyDim}
	}
	last := data.Rank() - 1
	channels := ir.AnyDim
	if d := data.At(last - 1); kernelKnown && d.IsStatic() {
		n := ir.Dim(kernel[0]).Mul(ir.Dim(kernel[1])).Min
		if d.Min%n != 0 {
			return faults.Errorf("data %v has %v channels, no multiple of the %d elements of kernel_size %v", data, d, n, ir.StaticShape(kernel...))
		}
		channels = ir.Dim(d.Min / n)
	}
	if kernelKnown && size[0].IsStatic() && size[1].IsStatic() && data.At(last).IsStatic() {
		if n := at.places(size, kernel); data.At(last) != ir.Dim(n) {
			return faults.Errorf("data %v has %v columns, the window %v has %d places in %v", data, data.At(last), ir.StaticShape(kernel...), n, ir.ShapeOf(size...))
		}
	}
	dims := append(make([]ir.Dimension, 0, 4), data.Dims()[:last-1]...)
	out.Shape = ir.ShapeOf(append(dims, channels, size[0], size[1])...)
	return nil
}

// kernelOf returns the elements of kernel_size, and whether they are known.
func kernelOf(input *ir.Fact) ([]int64, bool, error) {
	kernel, known := input.Ints()
	if !known || len(kernel) != 2 {
		return nil, false, nil
	}
	for i, v := range kernel {
		if v < 1 {
			return nil, false, faults.Errorf("kernel_size[%d] is %d, less than 1", i, v)
		}
	}
	return kernel, true, nil
}

// places returns the number of places of the window in an image of the given size. A number beyond
// int64 becomes ir.Unbounded, which no known length equals.
func (at *attributes) places(size []ir.Dimension, kernel []int64) int64 {
	places := ir.Dim(1)
	for i, s := range size {
		places = places.Mul(at.placesAlong(i, s, kernel[i]))
	}
	return places.Min
}

// placesAlong returns the number of places along the rows, if i is 0, or the columns, if i is 1, of
// an image with a static number of them.
func (at *attributes) placesAlong(i int, size ir.Dimension, kernel int64) ir.Dimension {
	padded := size.Add(ir.Dim(at.padsBegin[i])).Add(ir.Dim(at.padsEnd[i]))
	extent := ir.Dim(at.dilations[i]).Mul(ir.Dim(kernel - 1)).Add(ir.Dim(1))
	if padded.Min < extent.Min {
		return ir.Dim(0)
	}
	return ir.Dim((padded.Min - extent.Min) / at.strides[i]).Add(ir.Dim(1))
}
