package interpolate

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// axis describes one axis of the image and of the output.
type axis struct {
	input    int
	padBegin int
	padded   int // the length of the image with its padding
	output   int
	scale    float32
}

// same reports whether the output is the same as the image along the axis.
func (a *axis) same() bool {
	return a.padBegin == 0 && a.padded == a.input && a.output == a.input && a.unscaled()
}

// unscaled reports whether the output is the same as the padded image along the axis.
func (a *axis) unscaled() bool { return a.scale == 1 || a.padded == a.output }

func prepare1(p *ops.Preparation) (*ops.Prepared, error) {
	v1 := p.Attributes.(*attributes1)
	at := &attributes{
		mode: v1.mode, coordinates: "asymmetric", nearest: "simple", antialias: v1.antialias,
		padsBegin: v1.padsBegin, padsEnd: v1.padsEnd, cubeCoeff: -0.75,
	}
	rank := p.Inputs[0].Shape.Rank()
	linear := v1.mode == "linear" || v1.mode == "linear_onnx"
	switch {
	case v1.alignCorners:
		at.coordinates = "align_corners"
	case linear && !padded(at) && !(rank == 4 && len(v1.axes) == 2 && v1.axes[0] == 2 && v1.axes[1] == 3):
		at.coordinates = "half_pixel" // OpenVINO reads version 1 this way
	}
	switch {
	case v1.mode == "linear" && rank < 5:
		at.mode = "linear_onnx"
	case !linear && v1.mode != "nearest" && v1.mode != "cubic":
		return nil, faults.Errorf("mode %q has no kernel", v1.mode)
	}
	return prepare(p, at, v1.axes, nil)
}

// padded reports whether there is any padding.
func padded(at *attributes) bool {
	for _, list := range [][]int64{at.padsBegin, at.padsEnd} {
		for _, n := range list {
			if n != 0 {
				return true
			}
		}
	}
	return false
}

func prepare4(p *ops.Preparation) (*ops.Prepared, error) { return prepareInputs(p, 2, 3) }

func prepare11(p *ops.Preparation) (*ops.Prepared, error) { return prepareInputs(p, 1, 2) }

// prepareInputs reads the axes, and the scales if shape_calculation_mode is scales, from the
// inputs with the given indices.
func prepareInputs(p *ops.Preparation, scalesPort, axesPort int) (*ops.Prepared, error) {
	at := p.Attributes.(*attributes)
	var axes []int64
	if len(p.Inputs) > axesPort {
		var known bool
		if axes, known = p.Inputs[axesPort].Ints(); !known {
			return nil, faults.Errorf("axes are not known")
		}
	} else {
		for i := range p.Inputs[0].Shape.Rank() {
			axes = append(axes, int64(i))
		}
	}
	if !at.scales {
		return prepare(p, at, axes, nil)
	}
	scales, known := scalesOf(p.Inputs[scalesPort].Tensor)
	if !known {
		return nil, faults.Errorf("scales are not known")
	}
	return prepare(p, at, axes, scales)
}

// prepare returns the kernel. names lists the axes. scales holds their scales, or is nil if
// they follow from the lengths.
func prepare(p *ops.Preparation, at *attributes, names []int64, scales []float32) (*ops.Prepared, error) {
	image := p.InputShape(0)
	output, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	if output.Elements() == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	axes := make([]axis, len(image))
	for i := range axes {
		begin, end := window.At(at.padsBegin, i, 0), window.At(at.padsEnd, i, 0)
		if begin+end > math.MaxInt-int64(image[i]) {
			return nil, faults.Errorf("axis %d of image %v, padded by %d and %d, is beyond an int", i, image, begin, end)
		}
		axes[i] = axis{input: image[i], padBegin: int(begin), padded: image[i] + int(begin+end), output: output[i], scale: 1}
		if axes[i].padded == 0 {
			return nil, faults.Errorf("image %v has no elements for output %v", image, output)
		}
	}
	seen := make([]bool, len(axes))
	for i, name := range names {
		a := &axes[name]
		if a.scale = float32(a.output) / float32(a.padded); scales != nil && !seen[name] {
			a.scale = scales[i]
		}
		seen[name] = true
	}
	if image.Elements() == 0 { // all of it is padding
		zeros := func(r *ops.Run, lo, hi int) error {
			parallel.Clear(r.Stop, r.Outputs[0].Bytes())
			return nil
		}
		part := finished(p, zeros, output.Elements())
		return ops.Only(func(r *ops.Run) error { return r.For(1, 1, part) }, nil)
	}
	identity := true
	for i := range axes {
		identity = identity && axes[i].same()
	}
	if identity || at.mode == "nearest" {
		return nearestKernel(p, at, axes)
	}
	return weightedKernel(p, at, axes)
}
