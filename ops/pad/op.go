// Package pad adds elements around a tensor, or removes elements at its borders.
//
//	output[..., i, ...] = data[..., i - pads_begin[k], ...]
//
// if that element is inside data. Outside, the attribute pad_mode specifies the element:
//
//   - constant, the default: pad_value, or 0 if that input is missing.
//   - edge: the nearest element of data along each axis.
//   - reflect: data mirrored at its first or last element.
//   - symmetric: data mirrored at its border, so that the first or last element is repeated.
//
// Versions: Pad-1 and Pad-12. Negative pads remove elements. The specification allows them in
// Pad-12 only; Pad-1 accepts them too, as in OpenVINO. Inputs: data, of any element type T;
// pads_begin and pads_end, vectors of integers with one element for each axis; pad_value, a scalar
// of T that only mode constant reads. Errors: a wrong number of pads; in mode reflect, pads that
// are not less than the length of the axis; in mode symmetric, pads that are greater than the
// length of the axis; in mode edge, pads of an axis without elements; and negative pads that remove
// more elements than the axis has.
//
// Specification: OpenVINO operation set, movement, Pad-1 and Pad-12.
package pad

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{padding(1), padding(12)}

func padding(version int) ops.Op {
	return ops.Op{
		Type: "Pad", Version: version,
		Inputs:     ops.Between(3, 4),
		Attributes: parse,
		Values:     []int{1, 2},
		Infer:      infer,
		Bounds:     bounds,
		Prepare:    prepare,
	}
}

type mode uint8

const (
	constant mode = iota
	edge
	reflect
	symmetric
)

func parse(a *ir.Attributes) (any, error) {
	a.Expect("pad_mode")
	m := constant
	switch a.Enum("pad_mode", "constant", "constant", "edge", "reflect", "symmetric") {
	case "edge":
		m = edge
	case "reflect":
		m = reflect
	case "symmetric":
		m = symmetric
	}
	return m, a.Err()
}
