// Package softmax turns the elements along one axis into probabilities:
//
//	Softmax     output[i] = exp(data[i]-m) / sum(exp(x-m))
//	LogSoftmax  output[i] = data[i]-m - ln(sum(exp(x-m)))
//
// where x are the elements of data whose positions differ from i only along axis, and m is the
// greatest of them.
//
// Versions: Softmax-1, Softmax-8 and LogSoftmax-5. The attribute axis of Softmax-1 must not be
// negative. By default it is 0, as in OpenVINO's reader; the specification says 1. The axis of
// Softmax-8 and LogSoftmax-5 is 1 by default. If it is negative, it counts from the last axis.
// Input: data of any shape. A scalar counts as a vector of one element. Output: the type and shape
// of data. The shape rule accepts any type. The kernel computes f32, f64, f16 and bf16; the 16-bit
// types are computed in float32 and rounded once. So are integers, as in OpenVINO: to the nearest,
// halves to even, within the limits of the type.
//
// Specification: OpenVINO operation set, activation, SoftMax-1, SoftMax-8, LogSoftmax-5.
package softmax

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{
	softmax("LogSoftmax", 5, 1, attributes{log: true}),
	softmax("Softmax", 1, 0, attributes{fromFront: true}),
	softmax("Softmax", 8, 1, attributes{}),
}

type attributes struct {
	axis           int64
	log, fromFront bool
}

func softmax(layerType string, version int, def int64, at attributes) ops.Op {
	return ops.Op{
		Type: layerType, Version: version,
		Inputs: ops.Exactly(1),
		Types:  widened.RoundedTypes,
		Attributes: func(a *ir.Attributes) (any, error) {
			at := at
			at.axis = a.Int("axis", def)
			return at, a.Err()
		},
		Infer:   infer,
		Memory:  ops.Memory{InPlace: []int{0}},
		Prepare: prepare,
	}
}
