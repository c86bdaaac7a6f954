package sparsefillemptyrows

import (
	"cmp"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/sorting"
)

// The input ports.
const (
	valuesPort = iota
	densePort
	indicesPort
	defaultPort
)

func infer(in *ops.Inference) error {
	dense, indices := in.Inputs[densePort].Type, in.Inputs[indicesPort].Type
	t, ok := ir.MergeElementTypes(dense, indices)
	if !ok {
		return faults.Errorf("dense_shape is %v, indices is %v", dense, indices)
	}
	if err := check.Index("indices", t); err != nil {
		return err
	}
	if err := checkShapes(in.Inputs); err != nil {
		return err
	}
	rows, empty, err := count(in.Inputs, parallel.Stop(in.Done))
	if err != nil {
		return err
	}
	return ops.SetOutputs(in,
		ir.Fact{Type: indices, Shape: ir.ShapeOf(filled(&in.Inputs[indicesPort], empty), ir.Dim(2))},
		ir.Fact{Type: in.Inputs[valuesPort].Type, Shape: ir.ShapeOf(filled(&in.Inputs[valuesPort], empty))},
		ir.Fact{Type: ir.Boolean, Shape: ir.ShapeOf(rows)})
}

// filled returns the length of an input with an added element for each empty row. The input is not
// a scalar. Like OpenVINO, it returns any length if nothing is known of the number of empty rows.
func filled(input *ir.Fact, empty ir.Dimension) ir.Dimension {
	if !input.Shape.RankKnown() || empty == ir.AnyDim {
		return ir.AnyDim
	}
	return input.Shape.At(0).Add(empty)
}

func checkShapes(inputs []ir.Fact) error {
	values, dense, indices := inputs[valuesPort].Shape, inputs[densePort].Shape, inputs[indicesPort].Shape
	if err := check.Rank("values", values, 1); err != nil {
		return err
	}
	if !dense.Compatible(ir.StaticShape(2)) {
		return faults.Errorf("dense_shape has shape %v, expected [2]", dense)
	}
	if !indices.Compatible(ir.ShapeOf(ir.AnyDim, ir.Dim(2))) {
		return faults.Errorf("indices has shape %v, expected [?,2]", indices)
	}
	if dense.RankKnown() && values.RankKnown() && indices.RankKnown() && !values.At(0).Compatible(indices.At(0)) {
		return faults.Errorf("indices has shape %v, values has shape %v", indices, values)
	}
	return check.Rank("default_value", inputs[defaultPort].Shape, 0)
}

// count returns the number of rows, and the number of empty rows, as far as dense_shape and indices
// are known. When stop is requested, it returns parallel.ErrStopped.
func count(inputs []ir.Fact, stop parallel.Stop) (rows, empty ir.Dimension, err error) {
	shape, known := inputs[densePort].Ints()
	if !known || len(shape) != 2 {
		return ir.AnyDim, ir.AnyDim, nil
	}
	if shape[0] < 0 || shape[1] < 0 {
		return rows, empty, faults.Errorf("dense_shape is %v, which no matrix has", shape)
	}
	rows = ir.Dim(shape[0])
	indices, known := inputs[indicesPort].Ints()
	if !known {
		return rows, ir.AnyDim, nil
	}
	found, meter := make([]int64, 0, len(indices)/2), stop.Meter()
	for i := 0; i+1 < len(indices); i += 2 {
		if row, column := indices[i], indices[i+1]; row < 0 || row >= shape[0] || column < 0 || column >= shape[1] {
			return rows, empty, faults.Errorf("indices[%d] is [%d,%d], outside of dense_shape %v", i/2, row, column, shape)
		}
		if found = append(found, indices[i]); meter.Spent(4) {
			return rows, empty, parallel.ErrStopped
		}
	}
	sorting.Sort(stop, found, make([]int64, sorting.SpareLen(len(found))), cmp.Compare[int64])
	full := int64(0)
	for i, row := range found {
		if i == 0 || row != found[i-1] {
			full++
		}
		if meter.Spent(2) {
			return rows, empty, parallel.ErrStopped
		}
	}
	return rows, ir.Dim(shape[0] - full), stop.Err()
}
