package ops

import "github.com/vinoir/vinoir/ir"

// Stage is an elementwise layer that the kernel of the layer before it applies to
// its result: it works on pieces that are still in the cache, and spares a pass
// over memory. All numbers are float32.
type Stage struct {
	// Apply sets each element of x to the layer's result for it. x is any piece of
	// the tensor: the elements at, at+1, and so on, in row-major order.
	Apply func(r *Run, x []float32, at int)
	// Bias, where not nil, says that all that Apply does is to add
	// Bias[(at+i)/Inner % len(Bias)] to x[i]: a kernel may do that in registers.
	Bias  []float32
	Inner int
	// Clamp says that all that Apply does is to set x[i] to min(max(x[i], Lo), Hi).
	// NaN becomes Lo.
	Clamp  bool
	Lo, Hi float32
}

// Finish returns what applies all Stages to a piece of the output, nil where there
// are none.
func (p *Preparation) Finish() func(r *Run, x []float32, at int) {
	return Compose(p.Stages)
}

// Compose returns what applies stages one after the other, nil where there are
// none.
func Compose(stages []Stage) func(r *Run, x []float32, at int) {
	switch len(stages) {
	case 0:
		return nil
	case 1:
		return stages[0].Apply
	}
	return func(r *Run, x []float32, at int) {
		for i := range stages {
			stages[i].Apply(r, x, at)
		}
	}
}

// stageBlock is the number of elements that are computed before the stages are
// applied to them: input and output stay in the nearest cache.
const stageBlock = 1 << 12

// InBlocks returns part, whose items are the elements of output 0, for a kernel
// that Fuses: it runs part block by block and applies the Stages to each. Without
// Stages it returns part as it is.
func (p *Preparation) InBlocks(part Part) Part {
	finish := p.Finish()
	if finish == nil {
		return part
	}
	return func(r *Run, lo, hi int) error {
		out := ir.Data[float32](r.Outputs[0])
		for lo < hi {
			end := min(lo+stageBlock, hi)
			if err := part(r, lo, end); err != nil {
				return err
			}
			finish(r, out[lo:end], lo)
			lo = end
		}
		return nil
	}
}
