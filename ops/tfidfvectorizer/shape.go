package tfidfvectorizer

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// infer sets the shape of the output: that of data with the number of columns in place of its last
// axis.
func infer(in *ops.Inference) error {
	if err := checkTypes(in); err != nil {
		return err
	}
	for i, name := range []string{"pool", "columns", "weights"} {
		if 1+i < len(in.Inputs) {
			if err := check.Rank(name, in.Inputs[1+i].Shape, 1); err != nil {
				return err
			}
		}
	}
	if len(in.Inputs) > 3 {
		if columns, weights := in.Inputs[2].Shape, in.Inputs[3].Shape; !columns.Compatible(weights) {
			return faults.Errorf("columns has shape %v, weights has %v", columns, weights)
		}
	}
	n, err := width(&in.Inputs[2])
	if err != nil {
		return err
	}
	data, out := in.Inputs[0].Shape, ir.UnknownRank
	switch data.Rank() {
	case -1:
	case 0, 1:
		out = ir.ShapeOf(n)
	case 2:
		out = ir.ShapeOf(data.At(0), n)
	default:
		return faults.Errorf("data has shape %v, expected [c] or [r,c]", data)
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.F32, Shape: out})
}

func checkTypes(in *ops.Inference) error {
	if _, err := check.OneType(in.Inputs[:2], "data", "pool"); err != nil {
		return err
	}
	if t := in.Inputs[0].Type; t != ir.I64 && t != ir.String && t != ir.Dynamic {
		return faults.Errorf("data is %v, expected i64 or string", t)
	}
	if t := in.Inputs[2].Type; t != ir.I64 && t != ir.Dynamic {
		return faults.Errorf("columns is %v, expected i64", t)
	}
	if len(in.Inputs) > 3 {
		if t := in.Inputs[3].Type; t != ir.F32 && t != ir.Dynamic {
			return faults.Errorf("weights is %v, expected f32", t)
		}
	}
	return nil
}

// width returns the number of columns of the output.
func width(columns *ir.Fact) (ir.Dimension, error) {
	values, known := columns.Ints()
	if !known {
		return ir.AnyDim, nil
	}
	n := int64(0)
	for i, at := range values {
		if at < 0 || at == math.MaxInt64 {
			return ir.AnyDim, faults.Errorf("element %d of columns is %d", i, at)
		}
		n = max(n, at+1)
	}
	return ir.Dim(n), nil
}
