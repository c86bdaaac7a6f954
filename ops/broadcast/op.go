// Package broadcast repeats a tensor along axes to give it another shape.
//
//	output[i_0, ..., i_n] = data[j_0, ..., j_m]
//
// where j_k is i of the axis that axis k of data is matched with, and 0 where data
// has length 1 there. Versions: Broadcast-1, modes explicit (none), numpy and pdpd;
// Broadcast-3, bidirectional too. Inputs: data, of any element type;
// target_shape, a vector of integers; axes_mapping in mode explicit, a vector of
// integers: the axis of the output for each axis of data, in rising order.
//
//   - numpy, the default: axes are matched from the back; the output is of
//     target_shape, to which each length of data is equal, or 1.
//   - pdpd: axis 0 of data is matched with the axis that an attribute names, -1 for
//     matched from the back; a 1 in target_shape stands for data's length.
//   - bidirectional: as numpy, but a 1 in target_shape stands for data's length,
//     and data may have more axes.
//
// Specification: OpenVINO operation set, movement, Broadcast-1 and Broadcast-3.
package broadcast

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{broadcast(1, parse1), broadcast(3, parse3)}

func broadcast(version int, parse func(*ir.Attributes) (any, error)) ops.Op {
	return ops.Op{
		Type: "Broadcast", Version: version,
		Inputs:     ops.Between(2, 3),
		Attributes: parse,
		Values:     []int{1, 2},
		Infer:      infer,
		Bounds:     bounds,
		Prepare:    prepare,
	}
}

type mode uint8

const (
	explicit mode = iota
	numpy
	pdpd
	bidirectional
)

type attributes struct {
	mode mode
	axis int64 // of pdpd
	// inputs is the number of inputs that the mode asks for, 0 for any.
	inputs int
	// orNumpy says that mode explicit means numpy without axes_mapping.
	orNumpy bool
}

// modeOf returns the mode for a number of inputs.
func (at attributes) modeOf(inputs int) mode {
	if at.orNumpy && inputs < 3 {
		return numpy
	}
	return at.mode
}

func parse1(a *ir.Attributes) (any, error) {
	at := attributes{axis: a.Int("mode.auto_broadcast_axis", 0)}
	switch a.Enum("mode", "none", "none", "explicit", "numpy", "pdpd") {
	case "numpy":
		at.mode = numpy
	case "pdpd":
		at.mode = pdpd
	default:
		at.orNumpy = true
	}
	return at, a.Err()
}

func parse3(a *ir.Attributes) (any, error) {
	at := attributes{axis: a.Int("mode.mode.axis", 0), inputs: 2}
	switch a.Enum("mode", "numpy", "none", "explicit", "numpy", "pdpd", "bidirectional") {
	case "none", "explicit":
		at.mode, at.inputs = explicit, 3
	case "numpy":
		at.mode = numpy
	case "pdpd":
		at.mode = pdpd
	case "bidirectional":
		at.mode = bidirectional
	}
	return at, a.Err()
}
