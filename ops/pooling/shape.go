package pooling

import (
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
)

func infer(in *ir.Inference) error {
	at := in.Attributes.(*attributes)
	data := in.Inputs[0]
	if t := data.Type; t != ir.Dynamic && !t.IsFloat() && (at.mean || !t.IsInteger()) {
		return fmt.Errorf("data is %v, which is not pooled", t)
	}
	shape, err := outputShape(at, data.Shape)
	if err != nil {
		return err
	}
	for i := range in.Outputs {
		in.Outputs[i].Shape = shape
		switch {
		case i == 0:
			in.Outputs[i].Type = data.Type
		case i == 1 && at.indexType != ir.Dynamic:
			in.Outputs[i].Type = at.indexType
		default:
			return fmt.Errorf("the layer has %d outputs in the file, more than its type", len(in.Outputs))
		}
	}
	return nil
}

func outputShape(at *attributes, data ir.PartialShape) (ir.PartialShape, error) {
	rank := data.Rank()
	if rank < 0 {
		return ir.ShapeOfRank(len(at.kernel) + 2), nil
	}
	if rank < 3 || rank > 5 {
		return ir.PartialShape{}, fmt.Errorf("data has shape %v: a rank from 3 to 5 is needed", data)
	}
	if len(at.kernel) != rank-2 {
		return ir.PartialShape{}, fmt.Errorf("kernel has %d elements for %d spatial axes", len(at.kernel), rank-2)
	}
	if err := at.Check(rank - 2); err != nil {
		return ir.PartialShape{}, err
	}
	if at.indexType != ir.Dynamic {
		if _, err := index.Axis(at.axis, rank); err != nil {
			return ir.PartialShape{}, err
		}
	}
	dims := slices.Clone(data.Dims())
	for i, k := range at.kernel {
		var err error
		if dims[2+i], err = at.Output(i, dims[2+i], ir.Dim(k)); err != nil {
			return ir.PartialShape{}, err
		}
	}
	return ir.ShapeOf(dims...), nil
}
