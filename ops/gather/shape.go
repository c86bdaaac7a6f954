package gather

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	data, indices := in.Inputs[dataPort].Shape, in.Inputs[indicesPort].Shape
	if t := in.Inputs[indicesPort].Type; !at.anyTypes && t != ir.Dynamic && !t.IsInteger() {
		return faults.Errorf("indices are %v, not of an integer type", t)
	}
	if t := in.Inputs[axisPort].Type; !at.anyTypes && t != ir.Dynamic && !t.IsInteger() {
		return faults.Errorf("axis is %v, not of an integer type", t)
	}
	axis, known, err := axisOf(&in.Inputs[axisPort], data)
	if err != nil {
		return err
	}
	batch := at.batchDims
	if batch < 0 && indices.RankKnown() {
		if batch += int64(indices.Rank()); batch < 0 {
			return faults.Errorf("batch_dims %d is below -%d, the rank of indices %v", at.batchDims, indices.Rank(), indices)
		}
	}
	// They are only negative if the rank that they refer to is unknown.
	if known && batch >= 0 && axis >= 0 && batch > axis {
		return faults.Errorf("batch_dims %d is above axis %d", batch, axis)
	}
	if indices.RankKnown() && batch > int64(indices.Rank()) {
		return faults.Errorf("batch_dims %d is above the rank of indices %v", batch, indices)
	}
	in.Outputs[0].Type = in.Inputs[dataPort].Type
	in.Outputs[0].Shape = ir.UnknownRank
	if !data.RankKnown() || !indices.RankKnown() {
		return nil
	}
	in.Outputs[0].Shape, err = outputShape(data, indices, axis, known, int(batch))
	return err
}

// axisOf returns the value of the input axis, and whether it is known. If the rank of data is
// known, the value is not negative.
func axisOf(fact *ir.Fact, data ir.PartialShape) (int64, bool, error) {
	if err := check.OneElementIfStatic("axis", fact.Shape); err != nil {
		return 0, false, err
	}
	values, known := fact.Ints()
	if !known || len(values) == 0 {
		return 0, false, nil
	}
	if !data.RankKnown() {
		return values[0], true, nil
	}
	axis, err := index.Axis(values[0], data.Rank())
	return int64(axis), true, err
}

// outputShape replaces axis by the axes of indices after the batch. If axis is not known, only
// the rank and the batch axes are known.
func outputShape(data, indices ir.PartialShape, axis int64, known bool, batch int) (ir.PartialShape, error) {
	rank := data.Rank() + indices.Rank() - 1 - batch
	if batch > data.Rank() || batch > rank {
		return ir.PartialShape{}, faults.Errorf("data %v has no axis behind %d batch axes", data, batch)
	}
	dims := ir.ShapeOfRank(rank).Dims()
	for i := range batch {
		var ok bool
		if dims[i], ok = data.At(i).Merge(indices.At(i)); !ok {
			return ir.PartialShape{}, faults.Errorf("data %v and indices %v differ in batch axis %d", data, indices, i)
		}
	}
	if known {
		at := copy(dims[batch:], data.Dims()[batch:axis]) + batch
		at += copy(dims[at:], indices.Dims()[batch:])
		copy(dims[at:], data.Dims()[axis+1:])
	}
	return ir.ShapeOf(dims...), nil
}

// bounds gathers the bounds of the elements of data if indices and axis are known.
func bounds(in *ops.Inference) {
	elements := in.Outputs[0].Shape.Elements()
	values := in.Inputs[dataPort].Bounds()
	if values == nil || !elements.IsStatic() || elements.Min > ir.MaxValues {
		return
	}
	indices, ok := in.Inputs[indicesPort].Ints()
	if !ok {
		return
	}
	dataShape, errData := in.Inputs[dataPort].Shape.Static()
	indicesShape, errIndices := in.Inputs[indicesPort].Shape.Static()
	if errData != nil || errIndices != nil {
		return
	}
	g, err := newGather(in.Attributes.(attributes), in.Inputs, dataShape, indicesShape)
	if err != nil {
		return
	}
	in.Outputs[0].Values = g.Intervals(values, indices)
}
