// Package scatterelements replaces single elements of a tensor, or combines them with updates.
// Each index gives the position along one axis:
//
//	output = data
//	output[..., indices[..., i, ...], ...] = f(output[...], updates[..., i, ...])
//
// in row-major order of indices. f is the reduction. With none, the update replaces the
// element, and if several updates have the same element, the last one counts. sum, prod, min,
// max and mean combine the element with its updates. If use_init_val is false, the initial
// value of an element with updates is not part of the reduction. Negative indices count from
// the end.
//
// Versions: ScatterElementsUpdate-3, without reductions, and ScatterElementsUpdate-12. Inputs:
// data, of type T and rank 1 or more; indices, of any integer type and the rank of data;
// updates, of type T and the shape of indices; axis, of any integer type and exactly one
// element. Except along axis, indices must not be longer than data. T: every element type with
// none; integers of whole bytes, f16, bf16, f32 and f64 with every reduction; boolean with
// every reduction except mean, where sum and max are or, and prod and min are and.
//
// Sums and products of integers wrap. f16 and bf16 are reduced in float32. A mean is computed
// in int64, uint64 or float64 and rounded once; integers are rounded down. min and max are NaN
// if an operand is NaN.
//
// If axis has d elements, an index outside of [-d,d-1] is an *ops.IndexError. The output is
// undefined then.
//
// The package also has a Go API with the rules of ONNX and of torch: [ONNX], [TorchScatter] and
// the functions after them.
//
// Specification: OpenVINO operation set, movement, ScatterElementsUpdate-3 and -12. OpenVINO
// accepts negative indices in version 3 as well, which its specification does not mention.
// OpenVINO's CPU plugin rounds integer means towards zero and wraps their sums, which its
// specification does not mention either.
package scatterelements

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{{
	Type: "ScatterElementsUpdate", Version: 3,
	Inputs:     ops.Exactly(4),
	Attributes: func(*ir.Attributes) (any, error) { return attributes{useInitVal: true}, nil },
	PortTypes:  indexTypes,
	Values:     []int{axisInput},
	Infer:      infer,
	Bounds:     bounds,
	Memory:     ops.Memory{InPlace: []int{dataInput}},
	Prepare:    prepare,
}, {
	Type: "ScatterElementsUpdate", Version: 12,
	Inputs:     ops.Exactly(4),
	Attributes: parse,
	PortTypes:  indexTypes,
	Values:     []int{axisInput},
	Infer:      infer,
	Bounds:     bounds,
	Memory:     ops.Memory{InPlace: []int{dataInput}},
	Prepare:    prepare,
}}

var indexTypes = []ops.PortTypes{{Port: indicesInput, Types: gatherscatter.WholeIntegers}}

// The indices of the inputs.
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

// reduction is the way in which updates are combined with elements.
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

// String returns the value of the attribute.
func (r reduction) String() string { return reductionNames[r] }
