package grn

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/normalize"
)

// prepare returns the kernel that computes the sum s of the squares of the channels and then
// multiplies:
//
//	output[i] = data[i] * (1/sqrt(bias+s))
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	set := make([]bool, len(shape))
	set[1] = true
	l := normalize.NewLayout(shape, set, p.Threads)
	return normalize.Kernel(p, 0, l, normalize.L2Norm{Eps: float64(p.Attributes.(attributes).bias)}.Computation(&l))
}
