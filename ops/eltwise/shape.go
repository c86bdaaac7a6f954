package eltwise

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

func inferArithmetic(in *ir.Inference) error {
	t, err := inferOperands(in)
	if err != nil {
		return err
	}
	if t == ir.Boolean || t == ir.String {
		return fmt.Errorf("inputs are %v, which has no arithmetic", t)
	}
	in.Outputs[0].Type = t
	return nil
}

func inferComparison(in *ir.Inference) error {
	_, err := inferOperands(in)
	in.Outputs[0].Type = ir.Boolean
	return err
}

func inferLogical(in *ir.Inference) error {
	t, err := inferOperands(in)
	if err != nil {
		return err
	}
	if t != ir.Boolean && t != ir.Dynamic {
		return fmt.Errorf("inputs are %v, expected boolean", t)
	}
	in.Outputs[0].Type = ir.Boolean
	return nil
}

func inferBitwise(in *ir.Inference) error {
	t, err := inferOperands(in)
	if err != nil {
		return err
	}
	if !t.IsIntegral() && t != ir.Dynamic {
		return fmt.Errorf("inputs are %v, expected integers or booleans", t)
	}
	in.Outputs[0].Type = t
	return nil
}

func inferShift(in *ir.Inference) error {
	t, err := inferOperands(in)
	if err != nil {
		return err
	}
	if !t.IsInteger() && t != ir.Dynamic {
		return fmt.Errorf("inputs are %v, expected integers", t)
	}
	in.Outputs[0].Type = t
	return nil
}

// inferOperands sets the shape of the output, and returns the type of the inputs.
func inferOperands(in *ir.Inference) (ir.ElementType, error) {
	a, b := &in.Inputs[0], &in.Inputs[1]
	t, ok := ir.MergeElementTypes(a.Type, b.Type)
	if !ok {
		return t, fmt.Errorf("input 0 is %v, input 1 is %v", a.Type, b.Type)
	}
	at := in.Attributes.(attributes)
	switch at.broadcast {
	case none:
		in.Outputs[0].Shape, ok = a.Shape.Merge(b.Shape)
	case pdpd:
		in.Outputs[0].Shape, ok = stretch(a.Shape, b.Shape, at.axis)
	default:
		in.Outputs[0].Shape, ok = a.Shape.Broadcast(b.Shape)
	}
	if !ok {
		return t, fmt.Errorf("input 0 is %v, input 1 is %v, which do not %v", a.Shape, b.Shape, at.broadcast)
	}
	return t, nil
}

// String says what shapes must do to satisfy b.
func (b broadcast) String() string {
	return [...]string{"broadcast", "match", "broadcast by PaddlePaddle's rule"}[b]
}

// stretch returns the shape that a and b broadcast to by PaddlePaddle's rule.
func stretch(a, b ir.PartialShape, axis int) (ir.PartialShape, bool) {
	if !a.RankKnown() || !b.RankKnown() {
		return ir.UnknownRank, true
	}
	if axis < 0 {
		axis = a.Rank() - b.Rank()
	}
	if axis < 0 || axis > a.Rank()-b.Rank() {
		return a, false
	}
	dims := append([]ir.Dimension(nil), a.Dims()...)
	for i, d := range b.Dims() {
		to := dims[axis+i]
		if to.IsStatic() && d.IsStatic() && d.Min > to.Min {
			return a, false
		}
		var ok bool
		if dims[axis+i], ok = to.Broadcast(d); !ok {
			return a, false
		}
	}
	return ir.ShapeOf(dims...), true
}
