package nonzero

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	data := &in.Inputs[0]
	out := &in.Outputs[0]
	out.Type, out.Shape = in.Attributes.(attributes).outputType, ir.ShapeOfRank(2)
	if data.Shape.Rank() > 0 { // the output for a scalar has another shape, [1,1] or [0,0]
		out.Shape = ir.ShapeOf(ir.Dim(int64(data.Shape.Rank())), ir.DimRange(0, data.Shape.Elements().Max))
	}
	if n, ok := countKnown(data); ok {
		rank := data.Shape.Rank()
		if rank == 0 {
			rank = n
		}
		out.Shape = ir.StaticShape(rank, n)
	}
	return nil
}

// countKnown returns the number of nonzero elements; false if some elements are unknown.
func countKnown(data *ir.Fact) (int, bool) {
	if !data.Shape.IsStatic() || !slices.Contains(types, data.Type) {
		return 0, false
	}
	if data.Tensor != nil && slices.Contains(types, data.Tensor.ElementType()) {
		w := walkerOf(data.Tensor.ElementType())
		return w.count(data.Tensor, 0, data.Tensor.Len()), true
	}
	values, ok := data.Ints()
	n := 0
	for _, v := range values {
		if v != 0 {
			n++
		}
	}
	return n, ok
}
