package check

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// Lengths returns the lengths that input i, by name, holds for an output's axes;
// false where nothing is known of them. A Constant may hold -1 for a length that is
// not known; OpenVINO takes less than that for 0 there, and refuses it elsewhere.
func Lengths(in *ir.Inference, i int, name string) ([]ir.Dimension, bool, error) {
	values := in.Inputs[i].Intervals()
	if values == nil {
		if t := in.Inputs[i].Tensor; t != nil && t.ElementType() == ir.U64 && t.Len() <= ir.MaxValues {
			_, err := t.Ints()
			return nil, false, fmt.Errorf("%s: %w", name, err)
		}
		return nil, false, nil
	}
	constant := Constant(in.Layer, i)
	dims := make([]ir.Dimension, len(values))
	for k, v := range values {
		if constant {
			dims[k] = ir.DimOf(v)
			continue
		}
		var err error
		if dims[k], err = Length(fmt.Sprintf("%s[%d]", name, k), v); err != nil {
			return nil, false, err
		}
	}
	return dims, true, nil
}
