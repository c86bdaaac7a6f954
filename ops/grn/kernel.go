package grn

import (
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/lines"
)

// prepare returns the kernel that sums up the squares of the channels, then
// multiplies:
//
//	output[i] = data[i] * (1/sqrt(bias+s))
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	set := make([]bool, len(shape))
	set[1] = true
	l := lines.Of(shape, set, p.Threads)
	return lines.Kernel(p, 0, l, lines.Length{Eps: float64(p.Attributes.(attributes).bias)}.Computation(&l))
}
