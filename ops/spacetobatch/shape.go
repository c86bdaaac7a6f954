package spacetobatch

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/spaceblock"
)

func infer(in *ops.Inference) error {
	for i, name := range []string{"block_shape", "pads_begin", "pads_end"} {
		if err := check.Integer(name, in.Inputs[i+1].Type); err != nil {
			return err
		}
	}
	if _, err := spaceblock.MergeShapes(in.Inputs, "pads"); err != nil {
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
	var err error
	in.Outputs[0].Shape, err = outputShape(data, spaceblock.ValuesOf(in.Inputs))
	return err
}

// outputShape returns the shape of the output. An axis that depends on unknown values has any
// length.
func outputShape(data ir.PartialShape, v spaceblock.Values) (ir.PartialShape, error) {
	dims := ir.ShapeOfRank(data.Rank()).Dims()
	if v.Block == nil {
		return ir.ShapeOf(dims...), nil
	}
	if len(v.Block) < len(dims) {
		return data, faults.Errorf("block_shape has %d elements, data of shape %v has %d axes", len(v.Block), data, len(dims))
	}
	dims[0] = data.At(0).Mul(v.BlockElements())
	for i := 1; i < len(dims) && v.Begin != nil; i++ {
		if v.Block[i] < 1 {
			return data, faults.Errorf("block_shape[%d] is %d, below 1", i, v.Block[i])
		}
		padded := data.At(i).Add(pad(v.Begin[i])).Add(pad(v.End[i]))
		var ok bool
		if dims[i], ok = padded.Div(v.Block[i]); !ok {
			return data, faults.Errorf("axis %d of data of shape %v has %v elements with its pads, no multiple of block_shape[%d], which is %d",
				i, data, padded, i, v.Block[i])
		}
		if padded.Max == ir.Unbounded {
			dims[i].Max = ir.Unbounded
		}
	}
	return ir.ShapeOf(dims...), nil
}

// pad returns the length that n padding elements add. A valid n is not negative; OpenVINO reads -1
// as an unknown length, and lower numbers as 0.
func pad(n int64) ir.Dimension {
	if n == -1 {
		return ir.AnyDim
	}
	return ir.Dim(max(n, 0))
}
