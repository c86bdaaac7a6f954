package einsum

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	t := in.Inputs[0].Type
	if t == ir.Boolean || t == ir.String {
		return faults.Errorf("input 0 is %v, which has no arithmetic", t)
	}
	for i := range in.Inputs {
		if _, ok := ir.MergeElementTypes(t, in.Inputs[i].Type); !ok {
			return faults.Errorf("input %d is %v, input 0 is %v", i, in.Inputs[i].Type, t)
		}
	}
	if len(at.inputs) != len(in.Inputs) {
		return faults.Errorf("equation names %d inputs, there are %d", len(at.inputs), len(in.Inputs))
	}
	out := &in.Outputs[0]
	out.Type, out.Shape = t, ir.UnknownRank
	var l lengths
	for i := range in.Inputs {
		s, shape := at.inputs[i], in.Inputs[i].Shape
		if shape.RankKnown() {
			if err := l.add(i, s, shape); err != nil {
				return err
			}
			continue
		}
		if slices.Contains(s, ellipsis) && slices.Contains(at.output, ellipsis) {
			return nil
		}
		for _, label := range s {
			if !l.known[label] {
				l.set(label, ir.ShapeOfRank(1))
			}
		}
	}
	var dims []ir.Dimension
	for _, label := range at.output {
		if !l.known[label] && label != ellipsis {
			return faults.Errorf("label %q of the output is in no input", label)
		}
		dims = append(dims, l.shapes[label].Dims()...)
	}
	out.Shape = ir.ShapeOf(dims...)
	return nil
}

// lengths holds the dimensions of each label: one, or any number of them for ellipsis.
type lengths struct {
	shapes [256]ir.PartialShape
	known  [256]bool
}

func (l *lengths) set(label byte, shape ir.PartialShape) {
	l.shapes[label], l.known[label] = shape, true
}

// add merges in the dimensions of input i, whose labels are s.
func (l *lengths) add(i int, s subscript, shape ir.PartialShape) error {
	covered := shape.Rank() - len(s) // the number of axes of the ellipsis
	if slices.Contains(s, ellipsis) {
		covered++
	} else if covered != 0 {
		return faults.Errorf("input %d has shape %v, its %d labels want another rank", i, shape, len(s))
	}
	if covered < 0 {
		return faults.Errorf("input %d has shape %v, its %d labels want a higher rank", i, shape, len(s)-1)
	}
	var own lengths
	axis := 0
	for _, label := range s {
		n := 1
		if label == ellipsis {
			n = covered
		}
		part := ir.ShapeOf(shape.Dims()[axis : axis+n]...)
		axis += n
		if own.known[label] {
			var ok bool
			if part, ok = own.shapes[label].Merge(part); !ok {
				return faults.Errorf("input %d has shape %v, whose axes labelled %q differ", i, shape, label)
			}
		}
		own.set(label, part)
	}
	for _, label := range s {
		part := own.shapes[label]
		if l.known[label] {
			var ok bool
			if part, ok = l.shapes[label].Broadcast(part); !ok {
				return faults.Errorf("input %d has shape %v, whose axes labelled %q do not broadcast with those before, %v",
					i, shape, label, l.shapes[label])
			}
		}
		l.set(label, part)
	}
	return nil
}
