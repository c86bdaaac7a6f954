// Package mvn normalises elements by the mean and the variance along some axes:
//
//	output[i] = (data[i] - mean(x)) / deviation
//
// where x are the elements of data whose positions differ from i only along the axes. The
// deviation is sqrt(v+eps), or sqrt(v)+eps if eps_mode is outside_sqrt, where v is the mean of
// (x-mean(x))^2. If normalize_variance is false, the deviation is 1.
//
// Versions: MVN-2, which the specification calls MVN-1 and whose eps is inside of the root, and
// MVN-6. Inputs: data of any type and shape; MVN-6 also has axes, a vector of i32 or i64, not
// longer than data has axes. Output: the type and shape of data. Attributes of MVN-2:
// reduction_axes, which lists the axes, or across_channels: if it is true, all axes except the
// batch axis are reduced, otherwise all axes after the channel axis. Attributes of both: eps
// and normalize_variance; MVN-6 also has eps_mode. OpenVINO's rule checks neither the type of
// axes nor whether they are in range. The kernel computes f32, f64, f16 and bf16; the 16-bit
// types are computed in float32 and rounded once. So are integers, as in OpenVINO: to the nearest,
// halves to even, within the limits of the type.
//
// Specification: OpenVINO operation set, normalization, MVN-1 and MVN-6.
package mvn

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// types lists the element types that the kernel computes.
var types = widened.RoundedTypes

// Ops lists the layer types of this family.
var Ops = []ops.Op{{
	Type: "MVN", Version: 2,
	Inputs:     ops.Exactly(1),
	Types:      types,
	Attributes: parse2,
	Infer:      infer,
	Memory:     ops.Memory{InPlace: []int{0}},
	Fusion:     ops.Fusion{Applies: true},
	Prepare:    prepare,
}, {
	Type: "MVN", Version: 6,
	Inputs:     ops.Exactly(2),
	Types:      types,
	Attributes: parse6,
	Values:     []int{1},
	Infer:      infer,
	Memory:     ops.Memory{InPlace: []int{0}},
	Fusion:     ops.Fusion{Applies: true},
	Prepare:    prepare,
}}

type attributes struct {
	eps               float64
	outside           bool // eps is added after the square root
	normalizeVariance bool
	acrossChannels    bool
	axes              []int64 // nil if acrossChannels or an input specifies them
}

func parse2(a *ir.Attributes) (any, error) {
	if _, ok := a.Lookup("reduction_axes"); !ok {
		a.Expect("across_channels")
	}
	at := parse(a)
	at.acrossChannels = a.Bool("across_channels", false)
	at.axes = a.Ints("reduction_axes")
	return at, a.Err()
}

func parse6(a *ir.Attributes) (any, error) {
	a.Expect("eps_mode")
	at := parse(a)
	at.outside = a.Enum("eps_mode", "inside_sqrt", "INSIDE_SQRT", "OUTSIDE_SQRT") == "outside_sqrt"
	return at, a.Err()
}

func parse(a *ir.Attributes) attributes {
	a.Expect("eps")
	a.Expect("normalize_variance")
	return attributes{eps: a.Float("eps", 0), normalizeVariance: a.Bool("normalize_variance", false)}
}
