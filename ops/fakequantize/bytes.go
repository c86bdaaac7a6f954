package fakequantize

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

//go:generate go run ./_neon -out quantize_arm64.s -stubs stubs_arm64.go -pkg fakequantize

func parseBytes(a *ir.Attributes) (any, error) {
	a.Expect("levels")
	at := attributes{levels: a.Int("levels", 0)}
	if at.levels < 2 || at.levels > 256 {
		a.Fail("levels", "%d is not 2 to 256", at.levels)
	}
	return at, a.Err()
}

func inferBytes(in *ops.Inference) error {
	in.Outputs[0].Type, in.Outputs[0].Shape = ir.U8, in.Inputs[0].Shape
	return nil
}

// prepareBytes returns the kernel of Quantize.
func prepareBytes(p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(0)
	l, err := newByteLevels(p, shape)
	if err != nil {
		return nil, err
	}
	part := func(r *ops.Run, lo, hi int) error {
		l.codes(ir.Data[uint8](r.Outputs[0])[lo:hi], ir.Data[float32](r.Inputs[0])[lo:hi], lo)
		return nil
	}
	n := shape.Elements()
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(n, ops.Grain(2), part) }}, nil
}

// stageBytes returns Quantize as the last stage of the layer before it.
func stageBytes(p *ops.Preparation, through int) (*ops.Stage, error) {
	if through != 0 || p.Inputs[1].Tensor == nil || p.Inputs[2].Tensor == nil {
		return nil, nil
	}
	shape := p.InputShape(0)
	l, err := newByteLevels(p, shape)
	if err != nil {
		return nil, err
	}
	return &ops.Stage{
		Store: func(r *ops.Run, x []float32, at int) {
			l.codes(ir.Data[uint8](r.Outputs[0])[at:at+len(x)], x, at)
		},
		Levels: (*ops.Levels)(l),
	}, nil
}

// byteLevels computes Quantize.
type byteLevels ops.Levels

// newByteLevels returns the levels of data of a shape.
func newByteLevels(p *ops.Preparation, shape ir.Shape) (*byteLevels, error) {
	low, err := numbers(p, 1, shape)
	if err != nil {
		return nil, err
	}
	high, err := numbers(p, 2, shape)
	if err != nil {
		return nil, err
	}
	n := max(len(low), len(high))
	if err := p.Reserve(memory.Size[float32](2, n)); err != nil {
		return nil, err
	}
	most := float64(p.Attributes.(attributes).levels - 1)
	l := &byteLevels{Scale: make([]float32, n), Shift: make([]float32, n), Inner: 1, Max: float32(most)}
	if n > 1 {
		l.Inner = shape[2:].Elements()
	}
	for i := range n {
		first, last := float64(low[i%len(low)]), float64(high[i%len(high)])
		scale := most / (last - first)
		l.Scale[i], l.Shift[i] = float32(scale), float32(-first*scale)
		if !(l.Scale[i] != 0) || !(math.Abs(float64(l.Scale[i])) <= math.MaxFloat32 && math.Abs(float64(l.Shift[i])) <= math.MaxFloat32) {
			return nil, faults.Errorf("the limits %v and %v are no range", first, last)
		}
	}
	return l, nil
}

// numbers returns a constant input of one f32, or of one for each channel of data of a shape.
func numbers(p *ops.Preparation, i int, shape ir.Shape) ([]float32, error) {
	t := p.Inputs[i].Tensor
	if t == nil || t.ElementType() != ir.F32 || t.Len() != 1 && (len(shape) < 2 || t.Len() != shape[1]) {
		return nil, faults.Errorf("input %d is %v%v, expected one f32 or one for each channel of %v", i, p.Inputs[i].Type, p.Inputs[i].Shape, shape)
	}
	return ir.Data[float32](t), nil
}

// codes sets out to the levels of x, which starts with element at.
func (l *byteLevels) codes(out []uint8, x []float32, at int) {
	for first, hi := at, at+len(x); at < hi; {
		end, c := (*ops.Levels)(l).Span(at, hi)
		levels.Codes(out[at-first:end-first], x[at-first:end-first], l.Scale[c], l.Shift[c], l.Max)
		at = end
	}
}

func inferValues(in *ops.Inference) error {
	in.Outputs[0].Type, in.Outputs[0].Shape = ir.F32, in.Inputs[0].Shape
	return nil
}

// prepareValues returns the kernel of Dequantize.
func prepareValues(p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(0)
	low, err := p.Floats(1, 1)
	if err != nil {
		return nil, err
	}
	step, err := p.Floats(2, 1)
	if err != nil {
		return nil, err
	}
	return ops.Elementwise(p, shape.Elements(), ops.Grain(2), func(r *ops.Run, x []float32, at int) error {
		levels.Values(x, ir.Data[uint8](r.Inputs[0])[at:at+len(x)], low[0], step[0])
		return nil
	}), nil
}
