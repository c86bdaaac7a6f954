package subgraph

import (
	"fmt"

	"github.com/vinoir/vinoir/ir"
)

// Scalar returns the value of an input that is one number, a count or a condition;
// false where it is not known. The name is that of the input in errors.
func Scalar(name string, f *ir.Fact) (int64, bool, error) {
	if f.Shape.RankKnown() && f.Shape.Rank() > 1 {
		return 0, false, fmt.Errorf("%s has shape %v, expected rank 0 or 1", name, f.Shape)
	}
	values, known := f.Ints()
	if !known {
		return 0, false, nil
	}
	if len(values) != 1 {
		return 0, false, fmt.Errorf("%s has %d values, expected 1", name, len(values))
	}
	return values[0], true, nil
}
