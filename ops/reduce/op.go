// Package reduce reduces the elements along some axes to one value:
//
//	ReduceSum sum(x); ReduceMean sum(x)/n; ReduceProd prod(x)
//	ReduceMax max(x); ReduceMin min(x)
//	ReduceL1 sum(|x|); ReduceL2 sqrt(sum(x*x))
//	ReduceLogicalAnd all(x); ReduceLogicalOr any(x)
//
// where x are the n elements of data whose positions differ only along axes. If there are no
// elements, sums are 0, the product is 1, all is true and any is false. The mean is then NaN,
// or 0 for integers, the maximum is the lowest value of the type and the minimum is its
// greatest value (infinities for floating-point types).
//
// Versions: ReduceL1-4, ReduceL2-4, and version 1 of the other types. Inputs: data of type T
// and any shape; axes, a scalar or vector of any integer type. Negative axes count from the
// last one, and an axis that occurs twice counts once. Attribute: keep_dims, by default false.
// If it is true, the output keeps the axes with length 1. T: f32, f64, f16, bf16, i8 to i64, u8
// to u64; only boolean for the logical types. f16 and bf16 are accumulated in float64 and
// rounded once. f32 is accumulated in float32. Integers wrap; the mean is that of the sum in 64
// bits. The mean of integers and the root of ReduceL2 are rounded towards zero; the root of a sum
// that wrapped below 0 is 0.
//
// Specification: OpenVINO operation set, reduction.
package reduce

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// kind is the kind of a reduction.
type kind uint8

const (
	sum kind = iota
	mean
	prod
	maximum
	minimum
	l1
	l2
	and
	or
)

// Ops lists the layer types of this family.
var Ops = []ops.Op{
	reduce("ReduceL1", 4, l1),
	reduce("ReduceL2", 4, l2),
	reduce("ReduceLogicalAnd", 1, and),
	reduce("ReduceLogicalOr", 1, or),
	reduce("ReduceMax", 1, maximum),
	reduce("ReduceMean", 1, mean),
	reduce("ReduceMin", 1, minimum),
	reduce("ReduceProd", 1, prod),
	reduce("ReduceSum", 1, sum),
}

// numberTypes lists the element types of the numeric reductions.
var numberTypes = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
}

func reduce(name string, version int, k kind) ops.Op {
	types := numberTypes
	if k.logical() {
		types = []ir.ElementType{ir.Boolean}
	}
	return ops.Op{
		Type: name, Version: version,
		Inputs: ops.Exactly(2),
		Types:  types,
		Attributes: func(a *ir.Attributes) (any, error) {
			return attributes{k, a.Bool("keep_dims", false)}, a.Err()
		},
		Values:  []int{1},
		Infer:   infer,
		Bounds:  bounds,
		Fusion:  ops.Fusion{Applies: !k.logical()},
		Prepare: widened.Prepare(k.conversions(), prepare, 0),
	}
}

// conversions returns those of types whose numbers are reduced as i32 or i64. The limits of a type
// are the greatest and the least of no elements.
func (k kind) conversions() []widened.Conversion {
	if k == maximum || k == minimum {
		return widened.Saturating
	}
	return widened.Wrapping
}

type attributes struct {
	kind     kind
	keepDims bool
}

func (k kind) logical() bool { return k == and || k == or }
