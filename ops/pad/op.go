// Package pad adds elements around a tensor, or takes them away.
//
//	output[..., i, ...] = data[..., i - pads_begin[k], ...]
//
// where that is inside of data; outside, by the attribute pad_mode:
//
//   - constant, the default: pad_value, 0 if there is none;
//   - edge: the nearest element of data along each axis;
//   - reflect: the element as far from the first or last one on its other side;
//   - symmetric: as reflect, with the border before the first and behind the last
//     element.
//
// Versions: Pad-1 and Pad-12, in which the specification allows negative pads, which
// take elements away; Pad-1 takes them too, as in OpenVINO. Inputs: data, of any
// element type T; pads_begin and pads_end, vectors of integers, one for each axis;
// pad_value, a scalar of T, which only mode constant looks at. Errors: pads of another
// number of axes, reflected pads that are not less than the length of the axis,
// symmetric ones that are greater, edges of an axis without elements.
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
