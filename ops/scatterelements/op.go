// Package scatterelements changes single elements of a tensor along one axis.
//
//	output = data
//	output[..., indices[..., i, ...], ...] = f(output[...], updates[..., i, ...])
//
// in row-major order over indices, where f is the reduction: with none the update
// takes the element's place, and of several for one element the last stays; sum,
// prod, min, max and mean combine it with them. Where use_init_val is false, an
// element that is updated does not take part in its own reduction. A negative
// index counts from the back.
//
// Versions: ScatterElementsUpdate-3, without reductions, and -12. Inputs: data T
// of rank 1 or more, indices of any integer type and data's rank, updates T of
// the shape of indices, axis of any integer type and exactly one element. Off the
// axis indices are nowhere longer than data. T: every element type with none;
// integers of whole bytes, f16, bf16, f32 and f64 with every reduction; boolean
// with all but mean, where sum is or, prod is and.
//
// Sums and products of integers wrap. f16 and bf16 are reduced in float32, and a
// mean in int64, uint64 or float64, rounded once, integers downwards. min and max
// are NaN where an operand is.
//
// An index outside [-d,d-1], for an axis of d elements, is an *ops.IndexError,
// after which output is undefined.
//
// Besides the layers the package has a Go API with ONNX's rules and with torch's:
// [ONNX], [TorchScatter] and their neighbours.
//
// Specification: OpenVINO operation set, movement, ScatterElementsUpdate-3 and
// -12. That -3 takes negative indices too is OpenVINO's practice; its text has
// none. OpenVINO's CPU plugin rounds integer means towards zero and wraps their
// sums, which its text does not say.
package scatterelements

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{{
	Type: "ScatterElementsUpdate", Version: 3,
	Inputs:     ops.Exactly(4),
	Attributes: func(*ir.Attributes) (any, error) { return attributes{useInitVal: true}, nil },
	Values:     []int{axisInput},
	Infer:      infer,
	Bounds:     bounds,
	Memory:     ops.Memory{InPlace: []int{dataInput}},
	Prepare:    prepare,
}, {
	Type: "ScatterElementsUpdate", Version: 12,
	Inputs:     ops.Exactly(4),
	Attributes: parse,
	Values:     []int{axisInput},
	Infer:      infer,
	Bounds:     bounds,
	Memory:     ops.Memory{InPlace: []int{dataInput}},
	Prepare:    prepare,
}}

// The inputs.
const (
	dataInput = iota
	indicesInput
	updatesInput
	axisInput
)

type attributes struct {
	reduction  reduction
	useInitVal bool
}

func parse(a *ir.Attributes) (any, error) {
	a.Expect("reduction")
	name := a.Enum("reduction", none.String(), reductionNames[:]...)
	at := attributes{useInitVal: a.Bool("use_init_val", true)}
	for r, n := range reductionNames {
		if n == name {
			at.reduction = reduction(r)
		}
	}
	return at, a.Err()
}

// reduction is how an update is combined with the element.
type reduction uint8

const (
	none reduction = iota
	sum
	prod
	minimum
	maximum
	mean
)

var reductionNames = [...]string{none: "none", sum: "sum", prod: "prod", minimum: "min", maximum: "max", mean: "mean"}

// String returns the name of the attribute's value.
func (r reduction) String() string { return reductionNames[r] }
