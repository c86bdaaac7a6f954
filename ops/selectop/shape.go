package selectop

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/autobroadcast"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

func infer(in *ops.Inference) error {
	cond, then, otherwise := &in.Inputs[0], &in.Inputs[1], &in.Inputs[2]
	if cond.Type != ir.Boolean && cond.Type != ir.Dynamic {
		return faults.Errorf("cond is %v, expected boolean", cond.Type)
	}
	t, ok := ir.MergeElementTypes(then.Type, otherwise.Type)
	if !ok {
		return faults.Errorf("then is %v, else is %v", then.Type, otherwise.Type)
	}
	rule := in.Attributes.(autobroadcast.Rule)
	// For intervals, the result depends on the order of the shapes.
	shape, ok := rule.Join(otherwise.Shape, then.Shape)
	if rule.Kind == autobroadcast.PDPD {
		shape, ok = rule.Join(then.Shape, otherwise.Shape)
	}
	if !ok {
		return faults.Errorf("then is %v, else is %v, which do not %v", then.Shape, otherwise.Shape, rule)
	}
	all, ok := rule.Join(shape, cond.Shape)
	if !ok {
		return faults.Errorf("cond is %v, then and else give %v, which do not %v", cond.Shape, shape, rule)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = t, all
	return nil
}

// bounds selects the known values if cond is known.
func bounds(in *ops.Inference) {
	shape, err := in.Outputs[0].Shape.Static()
	if err != nil || in.Outputs[0].Shape.Elements().Max > ir.MaxValues {
		return
	}
	cond, known := in.Inputs[0].Ints()
	then, otherwise := in.Inputs[1].Bounds(), in.Inputs[2].Bounds()
	if !known || then == nil || otherwise == nil {
		return
	}
	var views [3]strided.View
	for i := range views {
		if views[i], err = viewOf(&in.Inputs[i], shape, in.Attributes.(autobroadcast.Rule)); err != nil {
			return
		}
	}
	values := make([]ir.Interval, shape.Elements())
	for i := range values {
		if cond[views[0].At(i)] != 0 {
			values[i] = then[views[1].At(i)]
		} else {
			values[i] = otherwise[views[2].At(i)]
		}
	}
	in.Outputs[0].Values = values
}

// viewOf returns a view of an input with the shape of the output. The stride is 0 along the axes
// that the input is repeated along.
func viewOf(input *ir.Fact, shape ir.Shape, rule autobroadcast.Rule) (strided.View, error) {
	v := strided.View{Lengths: shape, Strides: make([]int, len(shape))}
	lengths, err := input.Shape.Static()
	if err != nil {
		return v, err
	}
	first := len(shape) - len(lengths)
	if rule.Kind == autobroadcast.PDPD && rule.Axis >= 0 && first > 0 {
		first = min(rule.Axis, first)
	}
	if first < 0 {
		return v, faults.Errorf("an input of shape %v does not broadcast to %v", lengths, shape)
	}
	strides := strided.Strides(lengths)
	for i, n := range lengths {
		switch {
		case n == shape[first+i]:
			v.Strides[first+i] = strides[i]
		case n != 1:
			return v, faults.Errorf("an input of shape %v does not broadcast to %v", lengths, shape)
		}
	}
	return v, nil
}
