package ragged

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

func inferDense(in *ops.Inference) error {
	shape, err := decomposed.InferRows(in, 0)
	if err != nil {
		return err
	}
	data, target, def := &in.Inputs[2], &in.Inputs[3], &in.Inputs[4]
	if err := check.KnownIndex("target", target.Type); err != nil {
		return err
	}
	if err := check.OneElement("target", target.Shape); err != nil {
		return err
	}
	if def.Type != data.Type {
		return faults.Errorf("data is %v, the default value is %v", data.Type, def.Type)
	}
	if err := check.OneElement("the default value", def.Shape); err != nil {
		return err
	}
	if len(in.Inputs) > 5 {
		right := &in.Inputs[5]
		if right.Type != ir.Boolean && right.Type != ir.U8 {
			return faults.Errorf("pad_right is %v, expected boolean", right.Type)
		}
		if err := check.OneElement("pad_right", right.Shape); err != nil {
			return err
		}
	}
	if data.Shape.RankKnown() && data.Shape.Rank() == 0 {
		return faults.Errorf("data has shape %v, expected one axis or more", data.Shape)
	}
	length := ir.AnyDim
	if values, known := target.Ints(); known && len(values) == 1 {
		if values[0] < 0 {
			return faults.Errorf("target is negative: %d", values[0])
		}
		length = ir.Dim(values[0])
	}
	out := ir.UnknownRank
	if shape.RankKnown() && data.Shape.RankKnown() {
		dims := make([]ir.Dimension, 0, shape.Rank()+data.Shape.Rank())
		for i := range shape.Rank() {
			dims = append(dims, shape.At(i))
		}
		dims = append(dims, length)
		for i := 1; i < data.Shape.Rank(); i++ {
			dims = append(dims, data.Shape.At(i))
		}
		out = ir.ShapeOf(dims...)
	}
	return ops.SetOutputs(in, ir.Fact{Type: data.Type, Shape: out}, ir.Fact{Type: ir.Boolean, Shape: out})
}

func inferSparse(in *ops.Inference) error {
	if _, err := decomposed.InferRows(in, 0); err != nil {
		return err
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.I32, Shape: ir.ShapeOf(ir.AnyDim, ir.Dim(2))})
}

func inferRagged(in *ops.Inference) error {
	for i, name := range []string{"row ids", "the number of rows"} {
		if t := in.Inputs[i].Type; t != ir.I32 {
			return faults.Errorf("input %d, %s, is %v, expected i32", i, name, t)
		}
	}
	if err := check.Rank("row ids", in.Inputs[0].Shape, 1); err != nil {
		return err
	}
	if err := check.OneElement("the number of rows", in.Inputs[1].Shape); err != nil {
		return err
	}
	rows := ir.AnyDim
	if values, known := in.Inputs[1].Ints(); known && len(values) == 1 {
		if values[0] < 0 {
			return faults.Errorf("the number of rows is negative: %d", values[0])
		}
		rows = ir.Dim(values[0])
	}
	return ops.SetOutputs(in, decomposed.RowFacts(ir.ShapeOf(rows))...)
}

func inferPack(in *ops.Inference) error {
	if _, err := decomposed.InferRows(in, 0); err != nil {
		return err
	}
	return ops.SetOutputs(in, ir.Fact{Type: in.Inputs[2].Type, Shape: in.Inputs[2].Shape})
}

func inferFuze(in *ops.Inference) error {
	rows, err := decomposed.InferRows(in, 0)
	if err != nil {
		return err
	}
	if _, err := decomposed.InferRows(in, 2); err != nil {
		return err
	}
	return ops.SetOutputs(in, decomposed.RowFacts(rows)...)
}

// inferCombine joins the shapes of all segments but scalars.
func inferCombine(in *ops.Inference) error {
	if len(in.Inputs)%3 != 1 {
		return faults.Errorf("the layer has %d inputs, expected three for each segment and one", len(in.Inputs))
	}
	segments := len(in.Inputs) / 3
	ids := &in.Inputs[3*segments]
	if n := ids.Shape.Elements(); !n.Compatible(ir.Dim(int64(segments))) {
		return faults.Errorf("segment ids have shape %v, for %d segments", ids.Shape, segments)
	}
	rows, scalars := ir.UnknownRank, true
	for i := range segments {
		shape, err := inferSegment(in, 3*i)
		if err != nil {
			return err
		}
		data := &in.Inputs[3*i+2]
		if data.Type != in.Inputs[2].Type {
			return faults.Errorf("data of segment %d is %v, that of segment 0 is %v", i, data.Type, in.Inputs[2].Type)
		}
		if err := check.Rank("data", data.Shape, 1); err != nil {
			return err
		}
		if shape.RankKnown() && shape.Rank() == 0 {
			continue
		}
		scalars = false
		var ok bool
		if !shape.RankKnown() {
			continue
		}
		if rows, ok = rows.Merge(shape); !ok {
			return faults.Errorf("segment %d has rows of shape %v, those before it have others", i, shape)
		}
	}
	if scalars {
		rows = ir.ShapeOf()
	}
	facts := append(decomposed.RowFacts(rows), ir.Fact{Type: in.Inputs[2].Type, Shape: ir.ShapeOfRank(1)})
	facts = append(facts, decomposed.RowFacts(rows)...)
	return ops.SetOutputs(in, append(facts, ir.Fact{Type: ids.Type, Shape: ir.ShapeOfRank(1)})...)
}

func inferTruncate(in *ops.Inference) error {
	if len(in.Inputs)%3 != 0 {
		return faults.Errorf("the layer has %d inputs, expected three for each of one or two ragged tensors and three", len(in.Inputs))
	}
	n := len(in.Inputs)/3 - 1
	var facts []ir.Fact
	for i := range n {
		shape, err := decomposed.InferRows(in, 3*i)
		if err != nil {
			return err
		}
		data := &in.Inputs[3*i+2]
		if err := check.Rank("data", data.Shape, 1); err != nil {
			return err
		}
		if i > 0 {
			if _, ok := shape.Elements().Merge(facts[0].Shape.Elements()); !ok {
				return faults.Errorf("the first tensor has rows of shape %v, the second %v", facts[0].Shape, shape)
			}
		}
		facts = append(append(facts, decomposed.RowFacts(shape)...), ir.Fact{Type: data.Type, Shape: data.Shape})
	}
	limit := &in.Inputs[3*n]
	if limit.Type != ir.I32 {
		return faults.Errorf("max_length is %v, expected i32", limit.Type)
	}
	if err := check.OneElement("max_length", limit.Shape); err != nil {
		return err
	}
	for i, name := range []string{"side", "mode"} {
		if err := decomposed.InferBytes(in, 3*n+1+i, name); err != nil {
			return err
		}
	}
	return ops.SetOutputs(in, facts...)
}

// inferSegment is decomposed.InferRows for a segment. The begin of a single row can be a scalar and
// its end a vector, or the other way round: converters multiply the end of special tokens by a flag
// of shape [1].
func inferSegment(in *ops.Inference, at int) (ir.PartialShape, error) {
	begins, ends := in.Inputs[at].Shape, in.Inputs[at+1].Shape
	one := ir.ShapeOf(ir.Dim(1))
	if begins.Equal(ir.ShapeOf()) && ends.Equal(one) || begins.Equal(one) && ends.Equal(ir.ShapeOf()) {
		return ir.ShapeOf(), decomposed.CheckRowTypes(in, at)
	}
	return decomposed.InferRows(in, at)
}
