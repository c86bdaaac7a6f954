package convolution

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/window"
)

func infer(in *ir.Inference) error {
	w := in.Attributes.(*window.Attributes)
	data, filters := &in.Inputs[0], &in.Inputs[1]
	t, ok := ir.MergeElementTypes(data.Type, filters.Type)
	if !ok {
		return fmt.Errorf("data is %v, filters is %v", data.Type, filters.Type)
	}
	if t != ir.Dynamic && !t.IsFloat() && !t.IsInteger() {
		return fmt.Errorf("data is %v, not a number", t)
	}
	out := &in.Outputs[0]
	out.Type, out.Shape = t, ir.UnknownRank
	rank := max(data.Shape.Rank(), filters.Shape.Rank())
	if rank < 0 {
		if rank = w.Rank() + 2; rank < 3 {
			return nil
		}
	}
	if rank < 3 || rank > 5 {
		return fmt.Errorf("data has shape %v, filters %v: a rank from 3 to 5 is needed", data.Shape, filters.Shape)
	}
	if err := w.Check(rank - 2); err != nil {
		return err
	}
	ranked := ir.ShapeOfRank(rank)
	d, ok := data.Shape.Merge(ranked)
	if !ok {
		return fmt.Errorf("data has shape %v, filters has shape %v: the ranks differ", data.Shape, filters.Shape)
	}
	f, ok := filters.Shape.Merge(ranked)
	if !ok {
		return fmt.Errorf("data has shape %v, filters has shape %v: the ranks differ", data.Shape, filters.Shape)
	}
	if !d.At(1).Compatible(f.At(1)) {
		return fmt.Errorf("data %v has %v channels, filters %v has %v", d, d.At(1), f, f.At(1))
	}
	dims := []ir.Dimension{d.At(0), f.At(0)}
	for i := range rank - 2 {
		if w.KeepsLength(i) {
			dims = append(dims, d.At(2+i))
			continue
		}
		dim, err := w.Output(i, d.At(2+i), f.At(2+i))
		if err != nil {
			return err
		}
		dims = append(dims, dim)
	}
	out.Shape = ir.ShapeOf(dims...)
	return nil
}
