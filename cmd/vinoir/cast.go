package main

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// castable reports whether cast converts from and to t.
func castable(t ir.ElementType) bool {
	switch t {
	case ir.F16, ir.BF16, ir.F32, ir.F64:
		return true
	}
	return t.IsIntegral() && t.Size() > 0
}

// cast returns a tensor of the numbers in from, of element type t. A fraction of a float is rounded
// to the nearest of a smaller float. Any other number that t does not have is an error: a fraction
// or an infinity as an integer, 300 as u8, 1e300 as f32, 2^24 + 1 as f32 if it is an integer.
func cast(from *ir.Tensor, t ir.ElementType) (*ir.Tensor, error) {
	own := from.ElementType()
	if !castable(own) || !castable(t) {
		return nil, faults.Errorf("--cast does not convert %v to %v", own, t)
	}
	value := from.Values()
	if t.IsIntegral() {
		ints := make([]int64, from.Len())
		if own.IsIntegral() {
			var err error
			if ints, err = from.Ints(); err != nil {
				return nil, err
			}
		} else {
			for i := range ints {
				v := value(i)
				if v != math.Trunc(v) || math.Abs(v) >= 1<<63 { // NaN is not equal to itself
					return nil, misfit(i, v, t)
				}
				ints[i] = int64(v)
			}
		}
		if t == ir.Boolean {
			for i, v := range ints {
				if v != 0 && v != 1 {
					return nil, misfit(i, v, t)
				}
			}
		}
		return ir.TensorOfInts(t, from.Shape(), ints)
	}
	tensor, err := ir.NewTensor(t, from.Shape()...)
	if err != nil {
		return nil, err
	}
	converted := tensor.Values()
	for i := range from.Len() {
		v := value(i)
		tensor.SetValue(i, v)
		if got := converted(i); math.IsInf(got, 0) && !math.IsInf(v, 0) || own.IsIntegral() && got != v {
			return nil, misfit(i, v, t)
		}
	}
	if own != ir.I64 && own != ir.U64 {
		return tensor, nil
	}
	// Values has rounded those beyond 2^53.
	ints, err := from.Ints()
	if err != nil {
		return nil, err
	}
	for i, v := range ints {
		if f := converted(i); f >= 1<<63 || int64(f) != v {
			return nil, misfit(i, v, t)
		}
	}
	return tensor, nil
}

// misfit returns the error of element i, which t does not have.
func misfit(i int, v any, t ir.ElementType) error {
	return faults.Errorf("--cast: element %d is %v, which does not fit %v", i, v, t)
}
