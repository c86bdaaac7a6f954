package contribstring

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

func inferJoin(in *ops.Inference) error {
	shape, err := decomposed.InferStrings(in, 0)
	if err != nil {
		return err
	}
	if err := decomposed.InferBytes(in, 3, "separator"); err != nil {
		return err
	}
	axis := &in.Inputs[4]
	if err := check.KnownIndex("axis", axis.Type); err != nil {
		return err
	}
	if err := check.OneElement("axis", axis.Shape); err != nil {
		return err
	}
	return ops.SetOutputs(in, decomposed.StringFacts(without(shape, axis))...)
}

// without returns shape without an axis, as far as it is known.
func without(shape ir.PartialShape, axis *ir.Fact) ir.PartialShape {
	if !shape.RankKnown() {
		return ir.UnknownRank
	}
	rank := shape.Rank()
	if rank < 2 {
		return ir.ShapeOf()
	}
	values, known := axis.Ints()
	if !known || len(values) != 1 {
		return ir.ShapeOfRank(rank - 1)
	}
	at := values[0]
	if at < 0 {
		at += int64(rank)
	}
	dims := make([]ir.Dimension, 0, rank)
	for i := range rank {
		if int64(i) != at {
			dims = append(dims, shape.At(i))
		}
	}
	if len(dims) == rank { // the axis is out of range, which the kernel reports
		return ir.ShapeOfRank(rank - 1)
	}
	return ir.ShapeOf(dims...)
}

func inferSplit(in *ops.Inference) error {
	shape, err := decomposed.InferStrings(in, 0)
	if err != nil {
		return err
	}
	if err := decomposed.InferBytes(in, 3, "separator"); err != nil {
		return err
	}
	skip := &in.Inputs[4]
	if skip.Type != ir.Boolean && skip.Type != ir.U8 && skip.Type != ir.I8 {
		return faults.Errorf("skip_empty is %v, expected boolean, u8 or i8", skip.Type)
	}
	if err := check.OneElement("skip_empty", skip.Shape); err != nil {
		return err
	}
	rank := ir.AnyDim
	if shape.RankKnown() {
		rank = ir.Dim(int64(shape.Rank()) + 1)
	}
	facts := append([]ir.Fact{{Type: ir.I64, Shape: ir.ShapeOf(ir.AnyDim, rank)}}, decomposed.StringFacts(ir.ShapeOfRank(1))...)
	return ops.SetOutputs(in, append(facts, ir.Fact{Type: ir.I64, Shape: ir.ShapeOf(rank)})...)
}
