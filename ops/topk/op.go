// Package topk finds the k largest or smallest elements along one axis.
//
//	values[..., i, ...] = data[..., indices[..., i, ...], ...]
//
// indices[..., i, ...], for i from 0 to k-1, are the positions along axis of the k largest (mode
// max) or smallest (mode min) elements. The attribute sort gives their order: value, index, or none
// for an unspecified order.
//
// Versions: TopK-1, TopK-3; TopK-11, with the attribute stable: equal elements keep their order.
//
// Inputs: data of any element type and rank 1 or more; k, a scalar that is not negative, of type
// i8, i32 or i64 in TopK-1, and of any integer type since TopK-3.
//
// Outputs: values of the type of data, and indices of type index_element_type. Both have the shape
// of data, with k as the length of axis.
//
// Attributes: axis, mode and sort have no default. index_element_type is i32 (the default) or i64.
// stable is false by default.
//
// The kernel computes f32, f64, f16, bf16, i8 to i64 and u8 to u64. Of equal elements, it picks
// those with the smaller indices; with sort value they follow each other in the order of their
// indices, whether stable is set or not. sort none is the same as value. -0 equals 0. NaN is picked
// last, after all numbers, in both modes. k of 0 gives empty outputs.
//
// Errors: an axis that data does not have, a negative k, a k greater than the length of axis, and
// stable with sort none.
//
// Specification: OpenVINO operation set, sorting and maximization, TopK-1, TopK-3, TopK-11.
package topk

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/check"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{topK(1), topK(3), topK(11)}

func topK(version int) ops.Op {
	return ops.Op{
		Type: "TopK", Version: version,
		Inputs:     ops.Exactly(2),
		Types:      types,
		Attributes: func(a *ir.Attributes) (any, error) { return parse(a, version) },
		Values:     []int{1},
		Infer:      infer,
		Bounds:     inferBounds,
		Prepare:    widened.Prepare(conversions, prepare, 0),
	}
}

var types = []ir.ElementType{
	ir.F32, ir.F64, ir.F16, ir.BF16, ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64,
}

// order is a value of the attribute sort.
type order uint8

const (
	byValue order = iota
	byIndex
	unordered
)

type attributes struct {
	axis      int64 // negative counts from the back
	smallest  bool
	order     order
	indexType ir.ElementType
	narrowK   bool // k is of type i8, i32 or i64
}

func parse(a *ir.Attributes, version int) (any, error) {
	for _, name := range []string{"axis", "mode", "sort"} {
		a.Expect(name)
	}
	at := attributes{
		axis:      a.Int("axis", 0),
		smallest:  a.Enum("mode", "max", "max", "min") == "min",
		indexType: check.IndexAttribute(a, "index_element_type", ir.I32),
		narrowK:   version == 1,
	}
	switch a.Enum("sort", "none", "none", "index", "value") {
	case "value":
		at.order = byValue
	case "index":
		at.order = byIndex
	default:
		at.order = unordered
	}
	if version >= 11 && a.Bool("stable", false) && at.order == unordered {
		a.Fail("stable", "elements without an order cannot keep it: sort is none")
	}
	return at, a.Err()
}
