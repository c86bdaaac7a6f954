// Package broadcast repeats a tensor along axes to give it another shape.
//
//	output[i_0, ..., i_n] = data[j_0, ..., j_m]
//
// Here j_k is i_a if axis a of the output corresponds to axis k of data, or 0 if data has length 1
// along axis k. The mode specifies which axes correspond:
//
//   - explicit, also spelled none, the default of Broadcast-1: axes_mapping lists the axis of the
//     output for each axis of data, in rising order. Without axes_mapping, Broadcast-1 uses numpy.
//   - numpy, the default of Broadcast-3: the last axes correspond. The output has the shape
//     target_shape. Each length of data is 1 or equals that of the output.
//   - pdpd: an attribute specifies the axis of the output for axis 0 of data; -1 means that the
//     last axes correspond. A length of 1 in target_shape is replaced by that of data.
//   - bidirectional: like numpy, but a length of 1 in target_shape is replaced by that of data, and
//     data may have more axes than target_shape.
//
// Versions: Broadcast-1, with the modes explicit, numpy and pdpd, and Broadcast-3, with all modes.
// Inputs: data, of any element type; target_shape, a vector of integers; and in mode explicit
// axes_mapping, a vector of integers.
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
		Traits:     ops.Traits{Moves: true},
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
	// inputs is the number of inputs that the mode requires; 0 means that both 2 and 3 are allowed.
	inputs int
	// orNumpy means that mode explicit becomes numpy if axes_mapping is missing.
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
