package sparsefillemptyrows

import (
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// The input ports.
const (
	valuesPort = iota
	densePort
	indicesPort
	defaultPort
)

func infer(in *ir.Inference) error {
	dense, indices := in.Inputs[densePort].Type, in.Inputs[indicesPort].Type
	t, ok := ir.MergeElementTypes(dense, indices)
	if !ok {
		return fmt.Errorf("dense_shape is %v, indices is %v", dense, indices)
	}
	if err := check.IndexOrDynamic("indices", t); err != nil {
		return err
	}
	if err := checkShapes(in.Inputs); err != nil {
		return err
	}
	rows, elements, err := lengths(in.Inputs)
	if err != nil {
		return err
	}
	outputs := []ir.Fact{
		{Type: indices, Shape: ir.ShapeOf(elements, ir.Dim(2))},
		{Type: in.Inputs[valuesPort].Type, Shape: ir.ShapeOf(elements)},
		{Type: ir.Boolean, Shape: ir.ShapeOf(rows)},
	}
	copy(in.Outputs, outputs)
	return nil
}

func checkShapes(inputs []ir.Fact) error {
	values, dense, indices := inputs[valuesPort].Shape, inputs[densePort].Shape, inputs[indicesPort].Shape
	if err := check.Rank("values", values, 1); err != nil {
		return err
	}
	if !dense.Compatible(ir.StaticShape(2)) {
		return fmt.Errorf("dense_shape has shape %v, expected [2]", dense)
	}
	if !indices.Compatible(ir.ShapeOf(ir.AnyDim, ir.Dim(2))) {
		return fmt.Errorf("indices has shape %v, expected [?,2]", indices)
	}
	if values.RankKnown() && indices.RankKnown() && !values.At(0).Compatible(indices.At(0)) {
		return fmt.Errorf("indices has shape %v, values has %v", indices, values)
	}
	return check.Rank("default_value", inputs[defaultPort].Shape, 0)
}

// lengths returns the number of rows, and of the elements of the output.
func lengths(inputs []ir.Fact) (rows, elements ir.Dimension, err error) {
	rows, elements = ir.AnyDim, ir.AnyDim
	shape := inputs[densePort].Intervals()
	if len(shape) != 2 {
		return rows, elements, nil
	}
	if rows, err = check.Length("dense_shape[0]", shape[0]); err != nil {
		return rows, elements, err
	}
	columns, err := check.Length("dense_shape[1]", shape[1])
	if err != nil {
		return rows, elements, err
	}
	indices, known := inputs[indicesPort].Ints()
	if !known || rows.IsDynamic() || columns.IsDynamic() {
		return rows, elements, nil
	}
	filled := make([]int64, 0, len(indices)/2)
	for i := 0; i+1 < len(indices); i += 2 {
		if row, column := indices[i], indices[i+1]; row < 0 || row >= rows.Min || column < 0 || column >= columns.Min {
			return rows, elements, fmt.Errorf("indices[%d] is [%d,%d], outside of dense_shape [%v,%v]", i/2, row, column, rows, columns)
		}
		filled = append(filled, indices[i])
	}
	slices.Sort(filled)
	empty := rows.Min - int64(len(slices.Compact(filled)))
	return rows, ir.Dim(int64(len(indices) / 2)).Add(ir.Dim(empty)), nil
}
