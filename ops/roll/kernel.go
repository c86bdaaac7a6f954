package roll

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/movement"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// prepare returns a kernel that copies two pieces of each axis that is rolled: the one that moves
// towards the end, and the one that enters at the start.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(0)
	shifts, err := shiftsOf(p, shape)
	if err != nil {
		return nil, err
	}
	if shape.Elements() == 0 {
		return &ops.Prepared{Kernel: func(*ops.Run) error { return nil }}, nil
	}
	strides := strided.Strides(shape)
	axes := make([][]movement.Segment, len(shape))
	for k, n := range shape {
		s, by := strides[k], shifts[k]
		axes[k] = []movement.Segment{movement.Range(n-by, by*s, s, 0, s)}
		if by > 0 {
			axes[k] = append(axes[k], movement.Range(by, 0, s, (n-by)*s, s))
		}
	}
	return ops.Only(movement.Pieces(p, axes, false))
}

// shiftsOf returns the sum of the shifts of each axis modulo its length; 0 for an axis of length 0.
func shiftsOf(p *ops.Preparation, shape ir.Shape) ([]int, error) {
	shift, shiftKnown := p.Inputs[1].Ints()
	axes, axesKnown := p.Inputs[2].Ints()
	if !shiftKnown || !axesKnown {
		return nil, errors.New("shift and axes are not known")
	}
	scalar := p.Inputs[1].Shape.Rank() == 0
	if !scalar && len(shift) != len(axes) || len(shift) == 0 && len(axes) > 0 {
		return nil, faults.Errorf("shift has %d elements, axes has %d", len(shift), len(axes))
	}
	shifts, meter := make([]int, len(shape)), p.Stop.Meter()
	for i, v := range axes {
		if meter.Spent(16) {
			return nil, parallel.ErrStopped
		}
		axis, err := index.Axis(v, max(len(shape), 1))
		if err != nil {
			return nil, err
		}
		if len(shape) == 0 || shape[axis] == 0 {
			continue
		}
		n, by := int64(shape[axis]), shift[0]
		if !scalar {
			by = shift[i]
		}
		shifts[axis] = int((int64(shifts[axis]) + (by%n+n)%n) % n)
	}
	return shifts, nil
}
