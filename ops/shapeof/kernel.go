package shapeof

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func prepare(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		shape := r.Inputs[0].Shape()
		return fill(r.Outputs[0], func(i int) int64 { return int64(shape[i]) })
	}, Refit: ops.Fits}, nil
}

// fill sets the elements of an i64 or i32 tensor to length(i).
func fill(t *ir.Tensor, length func(i int) int64) error {
	if t.ElementType() == ir.I64 {
		out := ir.Data[int64](t)
		for i := range out {
			out[i] = length(i)
		}
		return nil
	}
	out := ir.Data[int32](t)
	for i := range out {
		n := length(i)
		if n > math.MaxInt32 {
			return faults.Errorf("dimension %d is %d, beyond i32", i, n)
		}
		out[i] = int32(n)
	}
	return nil
}
