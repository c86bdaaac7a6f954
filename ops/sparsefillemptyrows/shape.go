package sparsefillemptyrows

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
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
	rows, empty, err := count(in.Inputs)
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
// are known.
func count(inputs []ir.Fact) (rows, empty ir.Dimension, err error) {
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
	found := make([]int64, 0, len(indices)/2)
	for i := 0; i+1 < len(indices); i += 2 {
		if row, column := indices[i], indices[i+1]; row < 0 || row >= shape[0] || column < 0 || column >= shape[1] {
			return rows, empty, faults.Errorf("indices[%d] is [%d,%d], outside of dense_shape %v", i/2, row, column, shape)
		}
		found = append(found, indices[i])
	}
	slices.Sort(found)
	return rows, ir.Dim(shape[0] - int64(len(slices.Compact(found)))), nil
}
