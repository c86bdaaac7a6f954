package subgraph

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/internal/check"
)

// Count returns the value of an input that holds one number, and reports whether it is known.
// Floats are rounded towards 0. An input of rank 2 or more, or with several values, is an error;
// name is the name of the input in errors.
func Count(name string, f *ir.Fact) (int64, bool, error) {
	v, known, err := scalar(name, f)
	return v.whole, known, err
}

// Condition returns the value of an input that holds one truth value, and reports whether it is
// known. Numbers other than 0 are true. Errors are those of Count.
func Condition(name string, f *ir.Fact) (value, known bool, err error) {
	v, known, err := scalar(name, f)
	return v != number{}, known, err
}

// number is a number rounded towards 0. part reports whether the number was not an integer.
type number struct {
	whole int64
	part  bool
}

// scalar returns the value of an input that holds one number, and reports whether it is known.
func scalar(name string, f *ir.Fact) (number, bool, error) {
	if f.Shape.RankKnown() && f.Shape.Rank() > 1 {
		return number{}, false, faults.Errorf("%s has shape %v, expected rank 0 or 1", name, f.Shape)
	}
	if x, ok := check.Float(f); ok {
		// OpenVINO also accepts floats as counts and conditions.
		whole, part := math.Modf(x)
		if math.IsNaN(whole) {
			whole = math.Inf(-1) // the result of the conversion on x86 processors
		}
		return number{int64(max(min(whole, 1<<62), -1<<62)), part != 0}, true, nil
	}
	n := len(f.Values)
	if f.Tensor != nil {
		n = f.Tensor.Len()
	} else if n == 0 {
		n = 1 // unknown
	}
	if n != 1 {
		return number{}, false, faults.Errorf("%s has %d values, expected 1", name, n)
	}
	values, known := f.Ints()
	if !known {
		return number{}, false, nil
	}
	if len(values) != 1 { // no elements, of a shape that says so
		return number{}, false, faults.Errorf("%s has %d values, expected 1", name, len(values))
	}
	return number{whole: values[0]}, true, nil
}
