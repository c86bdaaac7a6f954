// Package prelu computes a ReLU that is not flat below zero.
//
//	output[i] = data[i] where data[i] >= 0, else slope[i]*data[i]
//
// with slope broadcast to data: a vector as long as axis 1 of data stands for that
// axis, any other slope is aligned at the right. Versions: PRelu-1, written PReLU.
// Inputs: data of type T and slope. Output: T and the shape of data. T: a
// floating-point type; OpenVINO asks nothing of the types, nor of slope's shape, so
// the rule asks nothing either.
//
// Specification: OpenVINO operation set, activation, PReLU-1.
package prelu

import "github.com/vinoir/vinoir/ops"

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "PRelu", Version: 1,
	MinInputs: 2, MaxInputs: 2,
	Infer: infer,
}}
