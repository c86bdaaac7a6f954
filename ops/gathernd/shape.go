package gathernd

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	if t := in.Inputs[indicesPort].Type; t != ir.Dynamic && !t.IsInteger() {
		return faults.Errorf("indices are %v, not of an integer type", t)
	}
	shape, err := outputShape(at, in.Inputs[dataPort].Shape, in.Inputs[indicesPort].Shape)
	if err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[dataPort].Type, shape
	return nil
}

func outputShape(at attributes, data, indices ir.PartialShape) (ir.PartialShape, error) {
	var none ir.PartialShape
	if at.batchDims < 0 {
		return none, faults.Errorf("batch_dims is %d, 0 or more is needed", at.batchDims)
	}
	if data.RankKnown() && at.batchDims >= int64(data.Rank()) {
		return none, faults.Errorf("batch_dims %d is not below the rank of data %v", at.batchDims, data)
	}
	if indices.RankKnown() && at.batchDims >= int64(indices.Rank()) {
		return none, faults.Errorf("batch_dims %d is not below the rank of indices %v", at.batchDims, indices)
	}
	if !data.RankKnown() || !indices.RankKnown() {
		return ir.UnknownRank, nil
	}
	batch, last := int(at.batchDims), indices.Rank()-1
	k := indices.At(last)
	if k.IsDynamic() {
		return ir.UnknownRank, nil
	}
	if k.Min > int64(data.Rank()-batch) {
		return none, faults.Errorf("indices %v hold tuples of %d, data %v has %d axes behind the batch",
			indices, k.Min, data, data.Rank()-batch)
	}
	dims := make([]ir.Dimension, 0, last+data.Rank())
	for i := range batch {
		d, ok := data.At(i).Merge(indices.At(i))
		if !ok {
			return none, faults.Errorf("data %v and indices %v differ in batch axis %d", data, indices, i)
		}
		if at.flat && i > 0 {
			dims[0] = dims[0].Mul(d)
		} else {
			dims = append(dims, d)
		}
	}
	dims = append(dims, indices.Dims()[batch:last]...)
	return ir.ShapeOf(append(dims, data.Dims()[batch+int(k.Min):]...)...), nil
}
