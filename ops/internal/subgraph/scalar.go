package subgraph

import (
	"fmt"
	"math"

	"github.com/vinoir/vinoir/ir"
)

// Count returns the value of an input that is one number; false where it is not
// known. The name is that of the input in errors.
func Count(name string, f *ir.Fact) (int64, bool, error) {
	v, known, err := scalar(name, f)
	return v.whole, known, err
}

// Condition returns the value of an input that is one truth value; false, false
// where it is not known. Numbers other than 0 are true.
func Condition(name string, f *ir.Fact) (value, known bool, err error) {
	v, known, err := scalar(name, f)
	return v != number{}, known, err
}

// number is whole and a part of it, of which only whether it is 0 counts.
type number struct {
	whole int64
	part  bool
}

func scalar(name string, f *ir.Fact) (number, bool, error) {
	if f.Shape.RankKnown() && f.Shape.Rank() > 1 {
		return number{}, false, fmt.Errorf("%s has shape %v, expected rank 0 or 1", name, f.Shape)
	}
	if t := f.Tensor; t != nil && t.Len() == 1 && t.ElementType() == ir.F32 {
		// OpenVINO takes floats for counts and conditions as well.
		whole, part := math.Modf(float64(ir.Data[float32](t)[0]))
		if math.IsNaN(whole) {
			whole = math.Inf(-1) // what x86 processors make of it
		}
		return number{int64(max(min(whole, 1<<62), -1<<62)), part != 0}, true, nil
	}
	n := len(f.Values)
	if f.Tensor != nil {
		n = f.Tensor.Len()
	} else if n == 0 {
		n = 1 // not known
	}
	if n != 1 {
		return number{}, false, fmt.Errorf("%s has %d values, expected 1", name, n)
	}
	values, known := f.Ints()
	if !known {
		return number{}, false, nil
	}
	return number{whole: values[0]}, true, nil
}
