package onehot

import (
	"errors"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// The input ports.
const (
	indicesPort = iota
	depthPort
	onPort
	offPort
)

var names = [...]string{"indices", "depth", "on_value", "off_value"}

func infer(in *ops.Inference) error {
	at := in.Attributes.(attributes)
	for i := range in.Inputs {
		input := &in.Inputs[i]
		// like OpenVINO, accept booleans
		if i <= depthPort && !input.Type.IsIntegral() && input.Type != ir.Dynamic {
			return faults.Errorf("%s is %v, not a type of integers", names[i], input.Type)
		}
		if i < depthPort {
			continue
		}
		if err := check.ScalarIfStatic(names[i], input.Shape); err != nil {
			return err
		}
	}
	on, off := in.Inputs[onPort].Type, in.Inputs[offPort].Type
	if _, ok := ir.MergeElementTypes(on, off); !ok {
		return faults.Errorf("on_value is %v, off_value is %v", on, off)
	}
	in.Outputs[0].Type, in.Outputs[0].Shape = on, ir.UnknownRank
	indices := in.Inputs[indicesPort].Shape
	if !indices.RankKnown() {
		return nil
	}
	axis, err := index.Axis(at.axis, indices.Rank()+1)
	if err != nil {
		return err
	}
	depth := ir.AnyDim
	if values := in.Inputs[depthPort].Intervals(); len(values) == 1 {
		if in.Inputs[depthPort].Type == ir.Boolean && check.Constant(in.Layer, depthPort) {
			return errors.New("depth is a Constant of booleans")
		}
		if depth, err = check.Length("depth", values[0]); err != nil {
			return err
		}
	}
	in.Outputs[0].Shape = ir.ShapeOf(slices.Insert(slices.Clone(indices.Dims()), axis, depth)...)
	return nil
}
