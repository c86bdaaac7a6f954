package matmul

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func infer(in *ops.Inference) error {
	a, b, out := &in.Inputs[0], &in.Inputs[1], &in.Outputs[0]
	at := in.Attributes.(attributes)
	var ok bool
	if out.Type, ok = ir.MergeElementTypes(a.Type, b.Type); !ok {
		return faults.Errorf("input 0 is %v, input 1 is %v", a.Type, b.Type)
	}
	if !a.Shape.RankKnown() || !b.Shape.RankKnown() {
		out.Shape = ir.UnknownRank
		return nil
	}
	if a.Shape.Rank() == 0 || b.Shape.Rank() == 0 {
		return errors.New("a scalar is no matrix")
	}
	rows, depthA, batchA := matrix(a.Shape, at.transposeA, true)
	depthB, columns, batchB := matrix(b.Shape, at.transposeB, false)
	// As in OpenVINO, unequal lengths are only an error if both are static.
	if depthA.IsStatic() && depthB.IsStatic() && depthA != depthB {
		return faults.Errorf("input 0 is %v, input 1 is %v: the rows of one have %v elements, the columns of the other %v",
			a.Shape, b.Shape, depthA, depthB)
	}
	dims, err := broadcastBatches(batchA, batchB)
	if err != nil {
		return faults.Errorf("input 0 is %v, input 1 is %v: %w", a.Shape, b.Shape, err)
	}
	if a.Shape.Rank() > 1 {
		dims = append(dims, rows)
	}
	if b.Shape.Rank() > 1 {
		dims = append(dims, columns)
	}
	out.Shape = ir.ShapeOf(dims...)
	return nil
}

// matrix returns the lengths of the last two axes of an input, and those of the batches. A vector
// is one row if row is set, or else one column.
func matrix(s ir.PartialShape, transpose, row bool) (rows, columns ir.Dimension, batch []ir.Dimension) {
	dims := s.Dims()
	rank := len(dims)
	switch {
	case rank == 1 && row:
		return ir.Dim(1), dims[0], nil
	case rank == 1:
		return dims[0], ir.Dim(1), nil
	case transpose:
		return dims[rank-1], dims[rank-2], dims[:rank-2]
	}
	return dims[rank-2], dims[rank-1], dims[:rank-2]
}

func broadcastBatches(a, b []ir.Dimension) ([]ir.Dimension, error) {
	rank := max(len(a), len(b))
	dims := make([]ir.Dimension, rank, rank+2)
	for i := range dims {
		x, y := ir.Dim(1), ir.Dim(1)
		if k := i - (rank - len(a)); k >= 0 {
			x = a[k]
		}
		if k := i - (rank - len(b)); k >= 0 {
			y = b[k]
		}
		var ok bool
		if dims[i], ok = x.Broadcast(y); !ok {
			if x.IsStatic() && y.IsStatic() {
				return nil, faults.Errorf("the batches %v and %v do not broadcast", x, y)
			}
			dims[i] = ir.AnyDim
		}
	}
	return dims, nil
}
