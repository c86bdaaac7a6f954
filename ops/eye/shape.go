package eye

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// The input ports.
const (
	rowsPort = iota
	columnsPort
	diagonalPort
	batchPort
)

var names = [...]string{"num_rows", "num_columns", "diagonal_index", "batch_shape"}

func infer(in *ops.Inference) error {
	for i := range in.Inputs {
		input := &in.Inputs[i]
		if err := check.KnownIndex(names[i], input.Type); err != nil {
			return err
		}
		if i == batchPort {
			if err := check.Rank(names[i], input.Shape, 1); err != nil {
				return err
			}
		} else if err := check.OneElementIfStatic(names[i], input.Shape); err != nil {
			return err
		}
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Attributes.(attributes).outputType, ir.UnknownRank
	var dims []ir.Dimension
	if len(in.Inputs) > batchPort {
		var known bool
		var err error
		if dims, known, err = batch(in); err != nil || !known {
			return err
		}
	}
	for i := range columnsPort + 1 {
		d := ir.AnyDim
		if values := in.Inputs[i].Intervals(); len(values) == 1 {
			var err error
			if d, err = check.Length(names[i], values[0]); err != nil {
				return err
			}
		}
		dims = append(dims, d)
	}
	in.Outputs[0].Shape = ir.ShapeOf(dims...)
	return nil
}

// batch returns the dimensions that batch_shape gives; false if its length is unknown.
func batch(in *ops.Inference) ([]ir.Dimension, bool, error) {
	n := in.Inputs[batchPort].Shape.At(0)
	if n.IsDynamic() {
		return nil, false, nil
	}
	if err := check.AxisCount(names[batchPort], in.Inputs[batchPort].Shape); err != nil {
		return nil, false, err
	}
	dims, known, err := check.Lengths(in, batchPort, names[batchPort])
	if !known || int64(len(dims)) != n.Min {
		dims = ir.ShapeOfRank(int(n.Min)).Dims()
	}
	return dims, true, err
}
