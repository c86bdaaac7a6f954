// Package scatterndupdate replaces the slices of data that tuples of indices refer to, or
// combines them with updates:
//
//	output = data
//	output[indices[t, :]] = f(output[indices[t, :]], updates[t])
//
// for each tuple t along the last axis of indices, in row-major order. f is the reduction. With
// none, the update replaces the slice, and if several updates have the same slice, the last one
// counts, which the specification leaves open. sum, sub, prod, min and max combine them element
// by element.
//
// Versions: ScatterNDUpdate-3, without reductions, and ScatterNDUpdate-15. Inputs: data, of
// type T and rank 1 or more; indices, i32 or i64, of rank 1 or more, whose last axis has length
// k, at most the rank of data; updates, of type T and shape
//
//	indices.shape[:-1] + data.shape[k:]
//
// If that is a scalar, updates may have any shape with one element. Output: T, of the shape of
// data. T: every element type with none; with a reduction, every type except string. For
// booleans sum and max are or, prod and min are and, sub is exclusive or. Complex types have no
// min and max.
//
// For an axis of length d, an index must be in [-d,d-1]; negative indices count from the end.
// Any other index is an ops.IndexError, and nothing is written then. Tuples of no indices
// change nothing, as in OpenVINO.
//
// Integers wrap. Floats of 16 bits and less are combined in float32 and rounded once. min and
// max are NaN if an operand is NaN.
//
// [ONNX], [OpenVINO] and the functions after them compute the same on slices.
//
// Specification: OpenVINO operation set, movement, ScatterNDUpdate-3 and -15.
package scatterndupdate

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops lists the layer types of this family.
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
		Prepare:    prepareLayer,
	}
}

// reducing is prepare for reductions: it reduces integers of 8 and 16 bits as i32.
var reducing = widened.Prepare(widened.Small, prepare, dataPort, updatesPort)

func prepareLayer(p *ops.Preparation) (*ops.Prepared, error) {
	if p.Attributes.(attributes).reduction == none {
		return prepare(p) // moves only depend on the size of the elements
	}
	return reducing(p)
}

// The indices of the inputs.
const (
	dataPort = iota
	indicesPort
	updatesPort
)

type attributes struct {
	reduction reduction
	// replaceAll means that a tuple of no indices refers to all of data, as in ONNX.
	replaceAll bool
}

func parse(a *ir.Attributes) (any, error) {
	name := a.Enum("reduction", none.String(), reductionNames[:]...)
	return attributes{reduction: reduction(slices.Index(reductionNames[:], name))}, a.Err()
}

// reduction is the way in which updates are combined with elements.
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

// String returns the value of the attribute.
func (r reduction) String() string { return reductionNames[r] }
