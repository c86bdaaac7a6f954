package batchtospace

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/spaceblock"
)

func infer(in *ops.Inference) error {
	if err := checkTypes(in.Inputs); err != nil {
		return err
	}
	vector, err := spaceblock.MergeShapes(in.Inputs, "crops")
	if err != nil {
		return err
	}
	data := in.Inputs[0].Shape
	in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, ir.UnknownRank
	if !data.RankKnown() {
		return nil
	}
	if data.Rank() < 2 {
		return faults.Errorf("data has shape %v, expected rank 2 or more", data)
	}
	if vector.IsStatic() && vector.At(0).Min != int64(data.Rank()) {
		return faults.Errorf("block_shape and crops have shape %v, data of shape %v has %d axes", vector, data, data.Rank())
	}
	in.Outputs[0].Shape, err = outputShape(data, spaceblock.ValuesOf(in.Inputs))
	return err
}

func checkTypes(inputs []ir.Fact) error {
	t, err := check.OneType(inputs[1:], "block_shape", "crops_begin", "crops_end")
	if err != nil {
		return err
	}
	return check.Integer("block_shape", t)
}

// outputShape returns the shape of the output. An axis that depends on unknown values has any
// length.
func outputShape(data ir.PartialShape, v spaceblock.Values) (ir.PartialShape, error) {
	if err := checkValues(v); err != nil {
		return data, err
	}
	dims := ir.ShapeOfRank(data.Rank()).Dims()
	if v.Block != nil {
		product := v.BlockElements()
		var ok bool
		if dims[0], ok = data.At(0).Div(product.Min); !ok {
			return data, faults.Errorf("axis 0 of data of shape %v is no multiple of %v, the product of block_shape", data, product)
		}
	}
	for i := 1; i < len(dims) && v.Begin != nil; i++ {
		block := ir.DimRange(1, ir.Unbounded)
		if v.Block != nil {
			block = ir.Dim(v.Block[i])
		}
		length := data.At(i).Mul(block)
		crop := ir.Dim(v.Begin[i]).Add(ir.Dim(v.End[i]))
		if v.Block != nil && length.IsStatic() && crop.Min > length.Min {
			return data, faults.Errorf("crops_begin[%d] + crops_end[%d] is %v, the axis has %v elements", i, i, crop, length)
		}
		dims[i] = length.Sub(crop)
	}
	return ir.ShapeOf(dims...), nil
}

func checkValues(v spaceblock.Values) error {
	for i, n := range v.Block {
		if n < 1 {
			return faults.Errorf("block_shape[%d] is %d, below 1", i, n)
		}
	}
	for i := range v.Begin {
		if v.Begin[i] < 0 || v.End[i] < 0 {
			return faults.Errorf("crops_begin[%d] is %d, crops_end[%d] is %d, neither may be negative", i, v.Begin[i], i, v.End[i])
		}
	}
	return nil
}
