package scatterupdate

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

func infer(in *ops.Inference) error {
	data, indices, updates := &in.Inputs[dataPort], &in.Inputs[indicesPort], &in.Inputs[updatesPort]
	axis := &in.Inputs[axisPort]
	if t := indices.Type; t != ir.Dynamic && !t.IsInteger() {
		return faults.Errorf("indices are %v, not of an integer type", t)
	}
	if _, ok := ir.MergeElementTypes(data.Type, updates.Type); !ok {
		return faults.Errorf("updates are %v, data is %v", updates.Type, data.Type)
	}
	if t := axis.Type; t != ir.Dynamic && !t.IsInteger() {
		return faults.Errorf("axis is %v, not of an integer type", t)
	}
	if err := check.OneElement("axis", axis.Shape); err != nil {
		return err
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = data.Type, data.Shape
	if data.Shape.RankKnown() && indices.Shape.RankKnown() && updates.Shape.RankKnown() {
		if want := indices.Shape.Rank() + data.Shape.Rank() - 1; updates.Shape.Rank() != want {
			return faults.Errorf("updates %v have rank %d; data %v and indices %v need %d",
				updates.Shape, updates.Shape.Rank(), data.Shape, indices.Shape, want)
		}
	}
	values, known := axis.Ints()
	if !known || len(values) == 0 || !data.Shape.RankKnown() {
		return nil
	}
	a, err := index.Axis(values[0], data.Shape.Rank())
	if err != nil {
		return err
	}
	if !indices.Shape.RankKnown() || !updates.Shape.RankKnown() {
		return nil
	}
	if want := updatesShape(data.Shape.Dims(), indices.Shape.Dims(), a); !updates.Shape.Compatible(ir.ShapeOf(want...)) {
		return faults.Errorf("updates are %v; data %v and indices %v along axis %d need %v",
			updates.Shape, data.Shape, indices.Shape, a, ir.ShapeOf(want...))
	}
	return nil
}

// updatesShape returns the shape of data with axis replaced by the axes of indices.
func updatesShape[D any](data, indices []D, axis int) []D {
	shape := make([]D, 0, len(data)+len(indices)-1)
	shape = append(shape, data[:axis]...)
	shape = append(shape, indices...)
	return append(shape, data[axis+1:]...)
}

// bounds replaces bounds of the elements of data by those of updates if indices and axis are
// known.
func bounds(in *ops.Inference) {
	data, updates := in.Inputs[dataPort].Bounds(), in.Inputs[updatesPort].Bounds()
	indices, known := in.Inputs[indicesPort].Ints()
	if len(data) == 0 || updates == nil || !known {
		return
	}
	dataShape, errData := in.Inputs[dataPort].Shape.Static()
	indicesShape, errIndices := in.Inputs[indicesPort].Shape.Static()
	if errData != nil || errIndices != nil {
		return
	}
	s, err := layerScatter(in.Inputs, dataShape, indicesShape)
	if err != nil || index.Check(indices, 0, int64(s.Length)-1) >= 0 {
		return
	}
	in.Outputs[0].Values = s.Intervals(data, updates, indices)
}
