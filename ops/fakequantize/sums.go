package fakequantize

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepareSums returns the kernel of DequantizeAdd. If only a clamp and a Quantize follow, their
// levels are computed in registers.
func prepareSums(p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(0)
	if !p.Inputs[1].Shape.Equal(p.Inputs[0].Shape) || p.Inputs[1].Type != ir.U8 {
		return nil, faults.Errorf("input 1 is %v%v, expected %v%v", p.Inputs[1].Type, p.Inputs[1].Shape, ir.U8, shape)
	}
	low, err := p.Floats(2, 1)
	if err != nil {
		return nil, err
	}
	step, err := p.Floats(3, 2)
	if err != nil {
		return nil, err
	}
	of := levels.Sum{Scale: [2]float32(step), Shift: low[0]}
	sums, err := levelSums(p, &of)
	if err != nil {
		return nil, err
	}
	if sums == nil {
		return ops.Elementwise(p, shape.Elements(), ops.Grain(2), func(r *ops.Run, x []float32, at int) error {
			levels.Sums(x, ir.Data[uint8](r.Inputs[0])[at:at+len(x)], ir.Data[uint8](r.Inputs[1])[at:at+len(x)], &of)
			return nil
		}), nil
	}
	l := p.Stages[len(p.Stages)-1].Levels
	part := func(r *ops.Run, lo, hi int) error {
		out, a, b := ir.Data[uint8](r.Outputs[0]), ir.Data[uint8](r.Inputs[0]), ir.Data[uint8](r.Inputs[1])
		for at := lo; at < hi; {
			end, c := l.Span(at, hi)
			levels.SumCodes(out[at:end], a[at:end], b[at:end], &sums[c])
			at = end
		}
		return nil
	}
	n := shape.Elements()
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(n, ops.Grain(2), part) }}, nil
}

// levelSums returns the sums whose results are the levels of the last stage, of each of its
// channels. It returns nil if the stages are not such levels, perhaps with a clamp before them.
func levelSums(p *ops.Preparation, of *levels.Sum) (sums []levels.Sum, err error) {
	n := len(p.Stages)
	if n == 0 || n > 2 || p.Stages[n-1].Levels == nil || n == 2 && !p.Stages[0].Clamp {
		return nil, nil
	}
	l, lo, hi := p.Stages[n-1].Levels, float32(math.Inf(-1)), float32(math.Inf(1))
	if n == 2 {
		lo, hi = p.Stages[0].Lo, p.Stages[0].Hi
	}
	if err := p.Reserve(memory.Size[levels.Sum](len(l.Scale))); err != nil {
		return nil, err
	}
	for c, scale := range l.Scale {
		s := levels.Sum{Scale: [2]float32{of.Scale[0] * scale, of.Scale[1] * scale}, Shift: l.Of(of.Shift, c)}
		s.Lo, s.Hi = l.Clamped(lo, hi, c)
		if math.IsInf(float64(s.Scale[0]), 0) || math.IsInf(float64(s.Scale[1]), 0) || math.IsInf(float64(s.Shift), 0) {
			return nil, nil // the sums of infinities would be NaN
		}
		sums = append(sums, s)
	}
	return sums, nil
}
