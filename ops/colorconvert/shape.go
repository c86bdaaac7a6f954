package colorconvert

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// inferImage is the shape rule of the conversions to RGB and BGR. The layer has one input, or one
// for each of the planes.
func inferImage(in *ops.Inference, planes int) error {
	if n := len(in.Inputs); n != 1 && n != planes {
		return faults.Errorf("%d inputs are connected, expected 1 or %d", n, planes)
	}
	t, err := check.OneType(in.Inputs)
	if err != nil {
		return err
	}
	if t != ir.U8 {
		if err := check.Real("the image", t); err != nil {
			return err
		}
	}
	y, err := planeOf("Y", in.Inputs[0].Shape, 1)
	if err != nil {
		return err
	}
	image := [3]ir.Dimension{y[0], y[1], y[2]}
	if planes := in.Inputs[1:]; len(planes) > 0 {
		image, err = mergeChroma(image, planes)
	} else {
		image[1], err = imageHeight(y[1])
	}
	if err != nil {
		return err
	}
	out := &in.Outputs[0]
	out.Type, out.Shape = t, ir.ShapeOf(image[0], image[1], image[2], ir.Dim(3))
	return checkEven(image[1], image[2])
}

// planeOf returns the four dimensions of a plane, and checks its channels.
func planeOf(name string, s ir.PartialShape, channels int64) ([]ir.Dimension, error) {
	if err := check.Rank(name, s, 4); err != nil {
		return nil, err
	}
	if !s.RankKnown() {
		return ir.ShapeOfRank(4).Dims(), nil
	}
	if !s.At(3).Contains(channels) {
		return nil, faults.Errorf("%s has shape %v, expected %d in dimension 3", name, s, channels)
	}
	return s.Dims(), nil
}

// imageHeight returns the height of an image whose planes lie below each other in a tensor of the
// given height.
func imageHeight(height ir.Dimension) (ir.Dimension, error) {
	h, ok := height.Mul(ir.Dim(2)).Div(3)
	if !ok {
		return h, faults.Errorf("the plane of Y and chroma has %v rows, expected a multiple of 3", height)
	}
	return h, nil
}

// mergeChroma merges the dimensions of an image with those that its chroma planes give.
func mergeChroma(image [3]ir.Dimension, planes []ir.Fact) ([3]ir.Dimension, error) {
	names, channels := []string{"UV"}, int64(2)
	if len(planes) > 1 {
		names, channels = []string{"U", "V"}, 1
	}
	for i, plane := range planes {
		dims, err := planeOf(names[i], plane.Shape, channels)
		if err != nil {
			return image, err
		}
		for axis := range image {
			d := dims[axis]
			if axis > 0 {
				d = d.Mul(ir.Dim(2))
			}
			merged, ok := image[axis].Merge(d)
			if !ok || merged.Min == ir.Unbounded {
				return image, faults.Errorf("%s has shape %v, the planes before it are of an image of %v in dimension %d", names[i], plane.Shape, image[axis], axis)
			}
			image[axis] = merged
		}
	}
	return image, nil
}

func checkEven(height, width ir.Dimension) error {
	if height.IsStatic() && height.Min%2 != 0 {
		return faults.Errorf("the image has an odd height, %v", height)
	}
	if width.IsStatic() && width.Min%2 != 0 {
		return faults.Errorf("the image has an odd width, %v", width)
	}
	return nil
}

// inferPlanes is the shape rule of the conversions from RGB and BGR.
func inferPlanes(in *ops.Inference) error {
	switch t := in.Inputs[0].Type; t {
	case ir.U8, ir.F16, ir.BF16, ir.F32, ir.F64, ir.Dynamic:
	default:
		return faults.Errorf("the image is %v, expected u8, f16, bf16, f32 or f64", t)
	}
	image, err := planeOf("the image", in.Inputs[0].Shape, 3)
	if err != nil {
		return err
	}
	n, h, w := image[0], image[1], image[2]
	if err := checkEven(h, w); err != nil {
		return err
	}
	t := in.Inputs[0].Type
	if in.Attributes.(attributes).singlePlane {
		height, _ := h.Mul(ir.Dim(3)).Div(2)
		return ops.SetOutputs(in, ir.Fact{Type: t, Shape: ir.ShapeOf(n, height, w, ir.Dim(1))})
	}
	halfHeight, _ := h.Div(2)
	halfWidth, _ := w.Div(2)
	return ops.SetOutputs(in,
		ir.Fact{Type: t, Shape: ir.ShapeOf(n, h, w, ir.Dim(1))},
		ir.Fact{Type: t, Shape: ir.ShapeOf(n, halfHeight, halfWidth, ir.Dim(2))})
}
