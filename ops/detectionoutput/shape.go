package detectionoutput

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// The input ports.
const (
	boxLogitsPort = iota
	classPredsPort
	proposalsPort
	auxClassPredsPort
	auxBoxPredsPort
)

var names = [...]string{"box_logits", "class_preds", "proposals", "aux_class_preds", "aux_box_preds"}

func infer(in *ops.Inference) error {
	l := layout{attributes: *in.Attributes.(*attributes), inputs: in.Inputs}
	if err := l.checkInputs(); err != nil {
		return err
	}
	for _, step := range []func() error{l.count, l.checkBoxes, l.checkClasses, l.checkProposals, l.checkAux} {
		if err := step(); err != nil {
			return err
		}
	}
	rows, classes := l.images, dimOrAny(l.classes)
	switch {
	case l.keepTopK > 0:
		rows = rows.Mul(ir.Dim(l.keepTopK))
	case l.keepTopK == -1 && l.topK > 0:
		rows = rows.Mul(ir.Dim(l.topK)).Mul(classes)
	default:
		rows = rows.Mul(dimOrAny(l.priors)).Mul(classes)
	}
	return ops.SetOutputs(in, ir.Fact{
		Type:  in.Inputs[boxLogitsPort].Type,
		Shape: ir.ShapeOf(ir.Dim(1), ir.Dim(1), rows, ir.Dim(7)),
	})
}

// dimOrAny returns n as a dimension; any length if n is 0, which means unknown.
func dimOrAny(n int64) ir.Dimension {
	if n == 0 {
		return ir.AnyDim
	}
	return ir.Dim(n)
}

// layout holds the counts that the lengths of the inputs are products of, as far as they are known.
type layout struct {
	attributes
	inputs []ir.Fact
	priors int64 // 0 if unknown
	images ir.Dimension
}

// checkInputs checks the number, types and ranks of the inputs.
func (l *layout) checkInputs() error {
	inputs := l.inputs
	if n := len(inputs); n != 3 && n != 5 {
		return faults.Errorf("%d inputs are connected, expected 3 or 5", n)
	}
	for i := range inputs {
		t := inputs[i].Type
		if err := check.KnownReal(names[i], t); err != nil {
			return err
		}
		if first := inputs[boxLogitsPort].Type; i != proposalsPort && t != first {
			return faults.Errorf("%s is %v, %s is %v", names[i], t, names[boxLogitsPort], first)
		}
		rank := 2
		switch {
		case i == proposalsPort:
			rank = 3
		case i == auxBoxPredsPort && l.classes != 0:
			continue // checkAux compares it with box_logits
		}
		if err := check.Rank(names[i], inputs[i].Shape, rank); err != nil {
			return err
		}
	}
	return nil
}

// length returns the length of an axis of an input; false if it is unknown or the input is missing.
func (l *layout) length(input, axis int) (int64, bool) {
	if input >= len(l.inputs) || !l.inputs[input].Shape.RankKnown() {
		return 0, false
	}
	d := l.inputs[input].Shape.At(axis)
	return d.Min, d.IsStatic()
}

// divide returns length / unit. length is the length of an axis of an input; the error for a
// remainder names that axis.
func (l *layout) divide(input, axis int, length int64, unit ir.Dimension) (int64, error) {
	if unit.Min == 0 {
		return 0, faults.Errorf("%s has shape %v: axis %d cannot be divided by the number of classes, which the inputs do not determine",
			names[input], l.inputs[input].Shape, axis)
	}
	if !unit.IsStatic() || length%unit.Min != 0 {
		return 0, l.mismatch(input, axis, fmt.Sprintf("a multiple of %v", unit))
	}
	return length / unit.Min, nil
}

// expect returns an error if an axis of an input cannot have the length want.
func (l *layout) expect(input, axis int, want ir.Dimension) error {
	if s := l.inputs[input].Shape; s.RankKnown() && !s.At(axis).Compatible(want) {
		return l.mismatch(input, axis, want.String())
	}
	return nil
}

func (l *layout) mismatch(input, axis int, want string) error {
	s := l.inputs[input].Shape
	return faults.Errorf("%s has shape %v: axis %d is %v, expected %s", names[input], s, axis, s.At(axis), want)
}

// count finds the numbers of priors and of classes if the layer has no attribute num_classes.
func (l *layout) count() error {
	if l.classes != 0 {
		return nil
	}
	var err error
	for _, part := range []struct {
		input, axis int
		unit        int64
	}{{proposalsPort, 2, l.priorSize}, {auxClassPredsPort, 1, 2}} {
		length, ok := l.length(part.input, part.axis)
		if !ok || l.priors != 0 {
			continue
		}
		if l.priors, err = l.divide(part.input, part.axis, length, ir.Dim(part.unit)); err != nil {
			return err
		}
		if l.priors == 0 {
			return l.mismatch(part.input, part.axis, "at least one prior box")
		}
	}
	if l.priors == 0 {
		return nil
	}
	coordinates := ir.Dim(l.priors).Mul(ir.Dim(4))
	for _, part := range []struct {
		input int
		unit  ir.Dimension
	}{{classPredsPort, ir.Dim(l.priors)}, {boxLogitsPort, coordinates}, {auxBoxPredsPort, coordinates}} {
		length, ok := l.length(part.input, 1)
		if !ok || l.classes != 0 || part.input != classPredsPort && l.shareLocation {
			continue
		}
		if l.classes, err = l.divide(part.input, 1, length, part.unit); err != nil {
			return err
		}
	}
	return nil
}

// checkBoxes checks box_logits. It finds the number of images, and the number of priors if it is
// still unknown.
func (l *layout) checkBoxes() error {
	l.images = ir.AnyDim
	s := l.inputs[boxLogitsPort].Shape
	if !s.RankKnown() {
		return nil
	}
	l.images = s.At(0)
	sets := int64(1) // the boxes of a prior
	if !l.shareLocation {
		sets = l.classes
	}
	unit := ir.Dim(sets).Mul(ir.Dim(4))
	if length, ok := l.length(boxLogitsPort, 1); ok && l.priors == 0 {
		var err error
		if l.priors, err = l.divide(boxLogitsPort, 1, length, unit); err != nil {
			return err
		}
	}
	if l.priors == 0 || sets == 0 {
		return nil
	}
	return l.expect(boxLogitsPort, 1, ir.Dim(l.priors).Mul(unit))
}

func (l *layout) checkClasses() error {
	s := l.inputs[classPredsPort].Shape
	if !s.RankKnown() {
		return nil
	}
	if l.images.IsDynamic() && s.At(0).IsStatic() {
		l.images = s.At(0)
	} else if err := l.expect(classPredsPort, 0, l.images); err != nil {
		return err
	}
	length, ok := l.length(classPredsPort, 1)
	if !ok || l.classes == 0 {
		return nil
	}
	if l.priors == 0 {
		var err error
		l.priors, err = l.divide(classPredsPort, 1, length, ir.Dim(l.classes))
		return err
	}
	return l.expect(classPredsPort, 1, ir.Dim(l.priors).Mul(ir.Dim(l.classes)))
}

func (l *layout) checkProposals() error {
	s := l.inputs[proposalsPort].Shape
	if !s.RankKnown() {
		return nil
	}
	if !s.At(0).Contains(1) {
		if err := l.expect(proposalsPort, 0, l.images); err != nil {
			return err
		}
	}
	if err := l.expect(proposalsPort, 1, ir.Dim(l.proposalRows)); err != nil {
		return err
	}
	length, ok := l.length(proposalsPort, 2)
	if !ok {
		return nil
	}
	if l.priors == 0 {
		var err error
		l.priors, err = l.divide(proposalsPort, 2, length, ir.Dim(l.priorSize))
		return err
	}
	return l.expect(proposalsPort, 2, ir.Dim(l.priors).Mul(ir.Dim(l.priorSize)))
}

func (l *layout) checkAux() error {
	if len(l.inputs) < 5 {
		return nil
	}
	if err := l.expect(auxClassPredsPort, 0, l.images); err != nil {
		return err
	}
	if l.priors != 0 {
		if err := l.expect(auxClassPredsPort, 1, ir.Dim(l.priors).Mul(ir.Dim(2))); err != nil {
			return err
		}
	}
	if length, ok := l.length(auxClassPredsPort, 1); ok {
		l.priors = length / 2
	}
	if a, b := l.inputs[auxBoxPredsPort].Shape, l.inputs[boxLogitsPort].Shape; !a.Compatible(b) {
		return faults.Errorf("%s has shape %v, %s has shape %v", names[auxBoxPredsPort], a, names[boxLogitsPort], b)
	}
	return nil
}
