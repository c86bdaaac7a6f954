package check

import (
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/floats"
)

// Float returns the value of a known input that holds one floating-point number. It returns
// false for other inputs.
func Float(f *ir.Fact) (float64, bool) {
	t := f.Tensor
	if t == nil || t.Len() != 1 || !slices.Contains(floats.Types, t.ElementType()) {
		return 0, false
	}
	return floats.At(t, 0), true
}
