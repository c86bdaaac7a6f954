package deformableconvolution

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/window"
)

// names are the names of the inputs.
var names = [...]string{"data", "offsets", "filters", "mask"}

func infer(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	out := &in.Outputs[0]
	var err error
	if out.Type, err = elementType(in.Inputs); err != nil {
		return err
	}
	out.Shape = ir.UnknownRank
	known := false
	for i, input := range in.Inputs {
		if err := check.Rank(names[i], input.Shape, 4); err != nil {
			return err
		}
		known = known || input.Shape.RankKnown() && i < 3
	}
	if !known {
		return nil
	}
	if err := at.Check(2); err != nil {
		return err
	}
	data, offsets, filters := in.Inputs[0].Shape, in.Inputs[1].Shape, in.Inputs[2].Shape
	if err := at.checkGroups(data, filters); err != nil {
		return err
	}
	shape, err := at.Convolve(data, filters, 2, filters.At(0))
	if err != nil {
		return err
	}
	if err := at.checkPlaces("offsets", offsets, filters, shape, 2); err != nil {
		return err
	}
	if len(in.Inputs) > 3 {
		if err := at.checkPlaces("mask", in.Inputs[3].Shape, filters, shape, 1); err != nil {
			return err
		}
	}
	batch, _ := shape.At(0).Merge(offsets.At(0)) // checkPlaces found them compatible
	out.Shape = shape.With(0, batch)
	return nil
}

func elementType(inputs []ir.Fact) (ir.ElementType, error) {
	t, err := window.ConvolutionType(inputs[0].Type, inputs[2].Type)
	if err != nil {
		return t, err
	}
	both, ok := ir.MergeElementTypes(t, inputs[1].Type)
	if !ok {
		return t, faults.Errorf("offsets is %v, the inputs besides it are %v", inputs[1].Type, t)
	}
	if len(inputs) > 3 {
		return both, check.Number("mask", inputs[3].Type)
	}
	return both, nil
}

// checkGroups checks the channels of data and filters against the groups and against each other.
func (at *attributes) checkGroups(data, filters ir.PartialShape) error {
	for _, c := range []struct {
		name     string
		channels ir.Dimension
		groups   int64
	}{
		{"channels of data", data.At(1), at.group},
		{"output channels of filters", filters.At(0), at.group},
	} {
		if _, ok := c.channels.Div(c.groups); !ok {
			return faults.Errorf("%v %s are no multiple of group %d", c.channels, c.name, c.groups)
		}
	}
	d, f := data.At(1), filters.At(1).Mul(ir.Dim(at.group))
	if !d.Compatible(f) {
		return faults.Errorf("data %v has %v channels, filters %v in %d groups has %v", data, d, filters, at.group, f)
	}
	return nil
}

// checkPlaces checks offsets or mask, with perKernel channels for each kernel element, against
// filters and the output.
func (at *attributes) checkPlaces(name string, s, filters, output ir.PartialShape, perKernel int64) error {
	if !s.RankKnown() {
		return nil
	}
	if filters.RankKnown() {
		want := filters.At(2).Mul(filters.At(3)).Mul(ir.Dim(perKernel)).Mul(ir.Dim(at.deformableGroup))
		if !want.Compatible(s.At(1)) {
			return faults.Errorf("%s %v has %v channels, filters %v in %d deformable groups needs %v", name, s, s.At(1), filters, at.deformableGroup, want)
		}
	}
	if _, ok := s.At(1).Div(at.deformableGroup); !ok {
		return faults.Errorf("%v channels of %s are no multiple of deformable_group %d", s.At(1), name, at.deformableGroup)
	}
	for _, i := range []int{0, 2, 3} {
		if !s.At(i).Compatible(output.At(i)) {
			return faults.Errorf("%s is %v, the output %v: dimension %d differs", name, s, output, i)
		}
	}
	return nil
}
