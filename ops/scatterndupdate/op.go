// Package scatterndupdate replaces slices of data that tuples of indices name, or
// combines them with updates.
//
//	output = data
//	output[indices[t, :]] = f(output[indices[t, :]], updates[t])
//
// for every tuple t along the last axis of indices, in row-major order, where f is
// the reduction: with none the update takes the slice's place, and of several for
// one slice the last stays, which the specification leaves open; sum, sub, prod, min
// and max combine them element by element.
//
// Versions: ScatterNDUpdate-3, without reductions, and -15. Inputs: data T of rank 1
// or more; indices, i32 or i64, of rank 1 or more, whose last length k is at most the
// rank of data; updates T of shape
//
//	indices.shape[:-1] + data.shape[k:]
//
// or of any shape with one element where that is a scalar. Output: T, of the shape of
// data. T: every element type with none, every one but string with a reduction; for
// booleans sum and max are or, prod and min are and, sub is exclusive or.
//
// With d the length of its axis, every index of a tuple is within [-d,d-1], and a
// negative one counts from the back; any other is an ops.IndexError, and then nothing
// has been written. Tuples of no indices change nothing, as in OpenVINO.
//
// Integers wrap. Floats of 16 bits and less are combined in float32 and rounded once.
// min and max are NaN where an operand is.
//
// [ONNX] and [OpenVINO] and what follows them compute the same on slices.
//
// Specification: OpenVINO operation set, movement, ScatterNDUpdate-3 and -15.
package scatterndupdate

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	scatter(3, func(a *ir.Attributes) (any, error) { return attributes{}, a.Err() }),
	scatter(15, parse),
}

func scatter(version int, parse func(*ir.Attributes) (any, error)) ops.Op {
	return ops.Op{
		Type: "ScatterNDUpdate", Version: version,
		Inputs:     ops.Exactly(3),
		Attributes: parse,
		Infer:      infer,
		Bounds:     bounds,
		Memory:     ops.Memory{InPlace: []int{dataPort}},
		Prepare:    prepare,
	}
}

// The input ports.
const (
	dataPort = iota
	indicesPort
	updatesPort
)

type attributes struct {
	reduction reduction
	// replaceAll says that a tuple of no indices names all of data, as in ONNX.
	replaceAll bool
}

func parse(a *ir.Attributes) (any, error) {
	name := a.Enum("reduction", none.String(), reductionNames[:]...)
	return attributes{reduction: reduction(slices.Index(reductionNames[:], name))}, a.Err()
}

// reduction is how an update is combined with the element.
type reduction uint8

const (
	none reduction = iota
	sum
	sub
	prod
	minimum
	maximum
)

var reductionNames = [...]string{none: "none", sum: "sum", sub: "sub", prod: "prod", minimum: "min", maximum: "max"}

// String returns the name of the attribute's value.
func (r reduction) String() string { return reductionNames[r] }
