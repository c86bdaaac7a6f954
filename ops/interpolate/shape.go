package interpolate

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/window"
)

func infer1(in *ops.Inference) error {
	at := in.Attributes.(*attributes1)
	image, out := in.Inputs[0].Shape, &in.Outputs[0]
	if err := check.Integer("output_shape", in.Inputs[1].Type); err != nil {
		return err
	}
	out.Type, out.Shape = in.Inputs[0].Type, ir.UnknownRank
	if !image.RankKnown() {
		return nil
	}
	if err := checkAxes(at.axes, image); err != nil {
		return err
	}
	dims := slices.Clone(image.Dims())
	if err := resize(dims, at.axes, in, 1, "output_shape"); err != nil {
		return err
	}
	out.Shape = ir.ShapeOf(dims...)
	return nil
}

func infer4(in *ops.Inference) error {
	if err := checkTypes(in.Inputs, "image", "sizes", "scales", "axes"); err != nil {
		return err
	}
	if in.Attributes.(*attributes).scales {
		return infer(in, 2, "scales", 3)
	}
	return infer(in, 1, "sizes", 3)
}

func infer11(in *ops.Inference) error {
	lengths := "sizes"
	if in.Attributes.(*attributes).scales {
		lengths = "scales"
	}
	if err := checkTypes(in.Inputs, "image", lengths, "axes"); err != nil {
		return err
	}
	return infer(in, 1, lengths, 2)
}

// infer infers a layer whose sizes or scales are input port, with the given name. Its axes are
// input axesPort, if it has that input.
func infer(in *ops.Inference, port int, name string, axesPort int) error {
	at := in.Attributes.(*attributes)
	image, out := in.Inputs[0].Shape, &in.Outputs[0]
	if err := check.Rank(name, in.Inputs[port].Shape, 1); err != nil {
		return err
	}
	out.Type, out.Shape = in.Inputs[0].Type, ir.UnknownRank
	var axes []int64
	known := true
	switch {
	case len(in.Inputs) > axesPort:
		if err := check.Rank("axes", in.Inputs[axesPort].Shape, 1); err != nil {
			return err
		}
		axes, known = in.Inputs[axesPort].Ints()
	case image.RankKnown():
		axes = make([]int64, image.Rank())
		for i := range axes {
			axes[i] = int64(i)
		}
	}
	switch {
	case !image.RankKnown():
		return nil
	case !known:
		out.Shape = ir.ShapeOfRank(image.Rank())
		return nil
	}
	if err := checkAxes(axes, image); err != nil {
		return err
	}
	dims := slices.Clone(image.Dims())
	for i, d := range dims {
		dims[i] = window.Pad(d, window.At(at.padsBegin, i, 0)+window.At(at.padsEnd, i, 0))
	}
	change := resize
	if at.scales {
		change = rescale
	}
	if err := change(dims, axes, in, port, name); err != nil {
		return err
	}
	out.Shape = ir.ShapeOf(dims...)
	return nil
}

var (
	imageTypes   = []ir.ElementType{ir.F32, ir.F16, ir.BF16, ir.F64, ir.I8, ir.U8, ir.I32, ir.I64, ir.Dynamic}
	scaleTypes   = []ir.ElementType{ir.F32, ir.F16, ir.BF16}
	integerTypes = []ir.ElementType{ir.I32, ir.I64, ir.U32, ir.U64}
)

// checkTypes checks the types of inputs with the given names.
func checkTypes(inputs []ir.Fact, names ...string) error {
	for i := range inputs {
		types := integerTypes
		switch names[i] {
		case "image":
			types = imageTypes
		case "scales":
			types = scaleTypes
		}
		if !slices.Contains(types, inputs[i].Type) {
			return faults.Errorf("%s is %v, expected one of %v", names[i], inputs[i].Type, types)
		}
	}
	return nil
}

// checkAxes returns an error if an axis is out of range. Negative axes are.
func checkAxes(axes []int64, image ir.PartialShape) error {
	for i, axis := range axes {
		if axis < 0 || axis >= int64(image.Rank()) {
			return faults.Errorf("axes[%d] is %d, image of shape %v has %d axes", i, axis, image, image.Rank())
		}
	}
	return nil
}

// resize sets the lengths of axes in dims to the values of input port, which has the given
// name.
func resize(dims []ir.Dimension, axes []int64, in *ops.Inference, port int, name string) error {
	sizes, known, err := check.Lengths(in, port, name)
	if err != nil {
		return err
	}
	if known && len(sizes) < len(axes) {
		return faults.Errorf("%s has %d elements for %d axes", name, len(sizes), len(axes))
	}
	for i, axis := range axes {
		dims[axis] = ir.AnyDim
		if known {
			dims[axis] = sizes[i]
		}
	}
	return nil
}

// rescale multiplies the lengths of axes in dims by the values of input port, which has the
// given name.
func rescale(dims []ir.Dimension, axes []int64, in *ops.Inference, port int, name string) error {
	scales, known := scalesOf(in.Inputs[port].Tensor)
	if known && len(scales) < len(axes) {
		return faults.Errorf("%s has %d elements for %d axes", name, len(scales), len(axes))
	}
	for i, axis := range axes {
		if !known {
			dims[axis] = ir.AnyDim
			continue
		}
		dims[axis] = scaled(dims[axis], scales[i])
	}
	return nil
}
