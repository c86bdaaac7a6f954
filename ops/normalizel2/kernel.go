package normalizel2

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/normalize"
)

// prepare returns the kernel that computes the sum s of the squares and then multiplies:
//
//	output[i] = data[i] * (1/sqrt(s+eps))
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	axes, known := p.Inputs[1].Ints()
	if !known {
		return nil, faults.Errorf("the axes are not known")
	}
	set, ok := normalize.AxisMask(axes, len(shape))
	if !ok {
		return nil, faults.Errorf("the axes are %v, some of which are outside data of shape %v", axes, shape)
	}
	l := normalize.NewLayout(shape, set, p.Threads)
	c := normalize.L2Norm{Eps: float64(at.eps), Max: at.max}.Computation(&l)
	if len(axes) == 0 {
		c = normalize.Computation{F32: divideByItself[float32], F64: divideByItself[float64]}
	}
	return normalize.Kernel(p, 0, l, c)
}

// divideByItself computes a block without axes.
func divideByItself[T normalize.Float](_ *ops.Run, b normalize.Block[T]) {
	meter := b.Stop.Meter()
	for i := range b.Rows {
		if meter.Spent(b.Cols + 8) {
			return
		}
		x, out := b.Row(i)
		for k, v := range x {
			out[k] = 1
			if v == 0 {
				out[k] = 0
			}
		}
	}
}
