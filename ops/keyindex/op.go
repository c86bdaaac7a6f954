// Package keyindex computes KeyIndex: the position of each element in a list of keys.
//
//	output[i] = k if keys[k] equals data[i], the first of them; the number of keys if there is none
//
// NaN equals NaN, and 0 equals -0. With a table of the values of all keys and one for others, a
// Gather makes an encoder of labels of it.
//
// Versions: the namespace vinoir. Models that are read from ONNX files have the layer, since none
// of OpenVINO's says it.
//
// Inputs: data of i64, f64 or string; keys, a constant vector of that type.
//
// Output: i64, the shape of data.
//
// Attributes: strict, false by default: it is an error if data has an element that is no key.
package keyindex

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "KeyIndex", Namespace: "vinoir",
	Inputs:     ops.Exactly(2),
	Attributes: parse,
	Values:     []int{1},
	Infer:      infer,
	Types:      []ir.ElementType{ir.I64, ir.F64, ir.String},
	Prepare:    prepare,
}}

type attributes struct{ strict bool }

func parse(a *ir.Attributes) (any, error) {
	return attributes{a.Bool("strict", false)}, a.Err()
}

func infer(in *ops.Inference) error {
	data, keys := &in.Inputs[0], &in.Inputs[1]
	if _, err := check.OneType(in.Inputs, "data", "keys"); err != nil {
		return err
	}
	switch data.Type {
	case ir.I64, ir.F64, ir.String, ir.Dynamic:
	default:
		return faults.Errorf("data is %v, expected i64, f64 or string", data.Type)
	}
	if err := check.Rank("keys", keys.Shape, 1); err != nil {
		return err
	}
	return ops.SetOutputs(in, ir.Fact{Type: ir.I64, Shape: data.Shape})
}
