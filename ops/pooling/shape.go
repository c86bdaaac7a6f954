package pooling

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	at := in.Attributes.(*attributes)
	data := in.Inputs[0]
	if t := data.Type; t != ir.Dynamic && !t.IsFloat() && !t.IsInteger() {
		return faults.Errorf("data is %v, which is not pooled", t)
	}
	shape, err := outputShape(at, data.Shape)
	if err != nil {
		return err
	}
	outputs := []ir.Fact{{Type: data.Type, Shape: shape}}
	if at.indexType != ir.Dynamic {
		outputs = append(outputs, ir.Fact{Type: at.indexType, Shape: shape})
	}
	return ops.SetOutputs(in, outputs...)
}

func outputShape(at *attributes, data ir.PartialShape) (ir.PartialShape, error) {
	n := len(at.kernel)
	if err := at.Check(n); err != nil {
		return ir.PartialShape{}, err
	}
	if len(at.Strides) != n {
		return ir.PartialShape{}, faults.Errorf("strides has %d elements, kernel has %d", len(at.Strides), n)
	}
	rank := data.Rank()
	if rank < 0 {
		return ir.ShapeOfRank(n + 2), nil
	}
	if rank < 3 || rank > 5 {
		return ir.PartialShape{}, faults.Errorf("data has shape %v: a rank from 3 to 5 is needed", data)
	}
	if n != rank-2 {
		return ir.PartialShape{}, faults.Errorf("kernel has %d elements for %d spatial axes", n, rank-2)
	}
	if at.indexType != ir.Dynamic {
		if _, err := index.Axis(at.axis, rank); err != nil {
			return ir.PartialShape{}, err
		}
	}
	dims := slices.Clone(data.Dims())
	for i, k := range at.kernel {
		if err := at.checkPads(i, dims[2+i]); err != nil {
			return ir.PartialShape{}, err
		}
		var err error
		if dims[2+i], err = at.Output(i, dims[2+i], ir.Dim(k)); err != nil {
			return ir.PartialShape{}, err
		}
	}
	return ir.ShapeOf(dims...), nil
}

// checkPads returns an error if exclude-pad is true and a window can lie in the padding alone,
// along spatial axis i of an input of length d. Such a window has no elements.
func (at *attributes) checkPads(i int, d ir.Dimension) error {
	if !at.mean || !at.excludePad || d.IsDynamic() {
		return nil
	}
	begin, end, extent := at.Padding(i, ir.Dim(at.kernel[i]))
	if max(begin, end) >= extent.Min {
		return faults.Errorf("the window of %v elements along spatial axis %d may lie in the padding of %d and %d, which exclude-pad leaves out", extent, i, begin, end)
	}
	return nil
}
