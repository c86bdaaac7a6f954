package scatterndupdate

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

func infer(in *ops.Inference) error {
	data, indices, updates := &in.Inputs[dataPort], &in.Inputs[indicesPort], &in.Inputs[updatesPort]
	if t := indices.Type; t != ir.Dynamic && t != ir.I32 && t != ir.I64 {
		return faults.Errorf("indices are %v, not i32 or i64", t)
	}
	t, ok := ir.MergeElementTypes(data.Type, updates.Type)
	if !ok {
		return faults.Errorf("updates are %v, data is %v", updates.Type, data.Type)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = t, data.Shape
	return checkShapes(data.Shape, indices.Shape, updates.Shape)
}

// checkShapes returns an error unless the shapes of the inputs fit each other.
func checkShapes(data, indices, updates ir.PartialShape) error {
	if data.Rank() == 0 {
		return faults.Errorf("data is a scalar, rank 1 or more is needed")
	}
	if indices.Rank() == 0 {
		return faults.Errorf("indices are a scalar, rank 1 or more is needed")
	}
	if !data.RankKnown() || !indices.RankKnown() {
		return nil
	}
	k := indices.At(indices.Rank() - 1)
	if k.IsDynamic() {
		return nil
	}
	if k.Min > int64(data.Rank()) {
		return faults.Errorf("indices %v hold tuples of %d, data %v has rank %d", indices, k.Min, data, data.Rank())
	}
	want := updatesShape(data.Dims(), indices.Dims(), int(k.Min))
	if len(want) > 0 && !updates.Compatible(ir.ShapeOf(want...)) {
		return faults.Errorf("updates are %v; data %v and indices %v need %v", updates, data, indices, ir.ShapeOf(want...))
	}
	return nil
}

// updatesShape returns the shape of updates for tuples of k indices.
func updatesShape[D any](data, indices []D, k int) []D {
	shape := make([]D, 0, len(data)+len(indices))
	shape = append(shape, indices[:len(indices)-1]...)
	return append(shape, data[k:]...)
}

// bounds replaces bounds of the elements of data by those of updates if indices are known and
// there is no reduction.
func bounds(in *ops.Inference) {
	data, updates := in.Inputs[dataPort].Bounds(), in.Inputs[updatesPort].Bounds()
	indices, known := in.Inputs[indicesPort].Ints()
	at := in.Attributes.(attributes)
	if len(data) == 0 || updates == nil || !known || at.reduction != none {
		return
	}
	var shapes [3]ir.Shape
	for i := range shapes {
		var err error
		if shapes[i], err = in.Inputs[i].Shape.Static(); err != nil {
			return
		}
	}
	k, err := newPlan(at, shapes[dataPort], shapes[indicesPort], shapes[updatesPort])
	if err != nil {
		return
	}
	flat := make([]int64, k.Count)
	if gatherscatter.Flatten(flat, indices, k.lengths, 0) >= 0 {
		return
	}
	in.Outputs[0].Values = k.Intervals(data, updates, flat)
}
