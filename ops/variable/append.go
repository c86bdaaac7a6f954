package variable

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// appendAttributes are those of AppendState and StateShape.
type appendAttributes struct {
	id   string // variable_id
	axis int    // of AppendState: the axis along which rows are appended
}

func parseAppend(a *ir.Attributes) (any, error) {
	if _, ok := a.Lookup("variable_id"); !ok {
		a.Fail("variable_id", "missing")
	}
	at := appendAttributes{id: a.String("variable_id", "")}
	axis := a.Int("axis", 0)
	if axis < 0 || axis >= ir.MaxRank {
		a.Fail("axis", "%d is outside [0,%d]", axis, ir.MaxRank-1)
	}
	at.axis = int(axis)
	return at, a.Err()
}

// checkOrder returns an error unless the optional input i can be an order.
func checkOrder(in *ops.Inference, i int) error {
	if i >= len(in.Inputs) {
		return nil
	}
	if t := in.Inputs[i].Type; t != ir.I32 && t != ir.I64 && t != ir.Dynamic {
		return faults.Errorf("order is %v, expected i32 or i64", t)
	}
	return check.Rank("order", in.Inputs[i].Shape, 1)
}

// inferAppend infers AppendState. Output 0 is as long as the memory along the axis.
func inferAppend(in *ops.Inference) error {
	rows, initial, axis := &in.Inputs[0], &in.Inputs[1], in.Attributes.(appendAttributes).axis
	t, ok := ir.MergeElementTypes(rows.Type, initial.Type)
	if !ok {
		return faults.Errorf("rows is %v, initial is %v", rows.Type, initial.Type)
	}
	if err := checkOrder(in, 2); err != nil {
		return err
	}
	if len(in.Outputs) > 1 {
		in.Outputs[1] = ir.Fact{Type: ir.I64, Shape: ir.ShapeOf(rankOf(rows.Shape))}
	}
	in.Outputs[0] = ir.Fact{Type: t, Shape: ir.UnknownRank}
	if !rows.Shape.RankKnown() {
		return nil
	}
	dims := append([]ir.Dimension(nil), rows.Shape.Dims()...)
	if axis >= len(dims) {
		return faults.Errorf("axis %d is outside of rows of shape %v", axis, rows.Shape)
	}
	dims[axis] = ir.AnyDim
	in.Outputs[0].Shape = ir.ShapeOf(dims...)
	return nil
}

// rankOf returns the length of a shape as a vector.
func rankOf(s ir.PartialShape) ir.Dimension {
	if !s.RankKnown() {
		return ir.AnyDim
	}
	return ir.Dim(int64(s.Rank()))
}

func inferShape(in *ops.Inference) error {
	if err := checkOrder(in, 1); err != nil {
		return err
	}
	in.Outputs[0] = ir.Fact{Type: ir.I64, Shape: ir.ShapeOf(rankOf(in.Inputs[0].Shape))}
	return nil
}

func prepareAppend(p *ops.Preparation) (*ops.Prepared, error) {
	i, err := find(p, p.Attributes.(appendAttributes).id)
	if err != nil {
		return nil, err
	}
	axis, ordered, shaped := p.Attributes.(appendAttributes).axis, len(p.Inputs) > 2, len(p.Outputs) > 1
	return ops.Only(func(r *ops.Run) error {
		a := ops.Append{Rows: r.Inputs[0], Axis: axis, Initial: r.Inputs[1]}
		if ordered {
			a.Order = r.Inputs[2]
		}
		grown, err := r.Variables[i].Append(r.Stop, a)
		if err != nil {
			return err
		}
		if err := r.ShareOutput(0, grown.Memory); err != nil || !shaped {
			return err
		}
		if err := r.SetShape(1, len(grown.Memory.Shape())); err != nil {
			return err
		}
		lengths := ir.Data[int64](r.Outputs[1])
		for k, n := range grown.Memory.Shape() {
			lengths[k] = int64(n)
		}
		lengths[axis] = int64(grown.Length)
		return nil
	}, nil)
}

func prepareShape(p *ops.Preparation) (*ops.Prepared, error) {
	i, err := find(p, p.Attributes.(appendAttributes).id)
	if err != nil {
		return nil, err
	}
	ordered := len(p.Inputs) > 1
	return ops.Only(func(r *ops.Run) error {
		shape := r.Variables[i].Shape()
		if shape == nil {
			shape = r.Inputs[0].Shape()
		}
		if err := r.SetShape(0, len(shape)); err != nil {
			return err
		}
		lengths := ir.Data[int64](r.Outputs[0])
		for k, n := range shape {
			lengths[k] = int64(n)
		}
		if ordered && len(lengths) > 0 {
			lengths[0] = int64(r.Inputs[1].Len())
		}
		return nil
	}, nil)
}
