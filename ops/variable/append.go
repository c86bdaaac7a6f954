package variable

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// appendAttributes are those of AppendState and StateShape.
type appendAttributes struct {
	id   string         // variable_id
	axis int            // of AppendState: the axis along which rows are appended
	kept ir.ElementType // of AppendState: ops.Append.Type; Dynamic means the type of rows
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
	at.kept = a.ElementType("kept_type", ir.Dynamic)
	if !slices.Contains([]ir.ElementType{ir.Dynamic, ir.F32, ir.F16, ir.BF16, ir.U8}, at.kept) {
		a.Fail("kept_type", "%v is none of f32, f16, bf16, u8", at.kept)
	}
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
	at := in.Attributes.(appendAttributes)
	rows, initial, axis := &in.Inputs[0], &in.Inputs[1], at.axis
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
	if at.kept != ir.Dynamic {
		if t != ir.F32 && t != ir.Dynamic && t != at.kept {
			return faults.Errorf("rows is %v, which is not kept in %v", t, at.kept)
		}
		t = at.kept
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
	if at.kept == ir.U8 {
		last := len(dims) - 1
		if axis != last-1 {
			return faults.Errorf("axis %d is not the one before the last of rows of shape %v, which are kept in u8", axis, rows.Shape)
		}
		if dims[last].IsStatic() {
			dims[last] = ir.Dim(dims[last].Max + levels.RowExtra)
		} else {
			dims[last] = ir.AnyDim
		}
	}
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

// boundsShape sets what is known of the lengths: the order has that of axis 0.
func boundsShape(in *ops.Inference) {
	if !in.Inputs[0].Shape.RankKnown() {
		return
	}
	lengths := make([]ir.Interval, in.Inputs[0].Shape.Rank())
	for k := range lengths {
		lengths[k] = ir.Interval(ir.AnyDim)
	}
	if len(in.Inputs) > 1 && in.Inputs[1].Shape.RankKnown() && len(lengths) > 0 {
		lengths[0] = ir.Interval(in.Inputs[1].Shape.At(0))
	}
	in.Outputs[0].Values = lengths
}

func prepareAppend(p *ops.Preparation) (*ops.Prepared, error) {
	i, err := find(p, p.Attributes.(appendAttributes).id)
	if err != nil {
		return nil, err
	}
	axis, kept, ordered, shaped := p.Attributes.(appendAttributes).axis, p.Outputs[0].Type, len(p.Inputs) > 2, len(p.Outputs) > 1
	kernel := func(r *ops.Run) error {
		a := ops.Append{Rows: r.Inputs[0], Axis: axis, Initial: r.Inputs[1], Type: kept}
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
		if kept == ir.U8 {
			lengths[axis+1] -= levels.RowExtra
		}
		return nil
	}
	prepared := &ops.Prepared{Kernel: kernel}
	if kept != p.Inputs[0].Type {
		prepared.Algorithm = "kept in " + kept.String()
	}
	return prepared, nil
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
