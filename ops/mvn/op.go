// Package mvn subtracts the mean of the elements along some axes, and divides by
// their deviation.
//
//	output[i] = (data[i] - mean(x)) / deviation
//
// where x are the elements of data that differ from i only in their places along the
// axes. The deviation is sqrt(v+eps) or, with eps_mode outside_sqrt, sqrt(v)+eps,
// with v the mean of (x-mean(x))^2; where normalize_variance is false it is 1.
//
// Versions: MVN-2, which the specification calls MVN-1 and whose eps is inside; MVN-6.
// Inputs: data of any type and shape; of MVN-6 also axes, a vector of i32 or i64, no
// longer than data has axes. Output: the type and shape of data. Attributes of MVN-2:
// across_channels, whether the axes are all but the batch or all behind the
// channels, or reduction_axes, which names them. OpenVINO's rule asks neither the
// type of axes nor whether data has them; computed are f32, f64, and f16 and bf16, in
// float32 and rounded once.
//
// Specification: OpenVINO operation set, normalization, MVN-1 and MVN-6.
package mvn

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// types are the element types that are computed.
var types = []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16}

// Ops are the layer types of this family.
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
	outside           bool // eps is added to the root
	normalizeVariance bool
	acrossChannels    bool
	axes              []int64 // nil where acrossChannels or an input says them
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
