package fakequantize

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

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
	shape, err := p.Inputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	l, err := bytesLevel(p)
	if err != nil {
		return nil, err
	}
	part := func(r *ops.Run, lo, hi int) error {
		l.codes(ir.Data[uint8](r.Outputs[0])[lo:hi], ir.Data[float32](r.Inputs[0])[lo:hi])
		return nil
	}
	n := shape.Elements()
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(n, grain, part) }}, nil
}

// stageBytes returns Quantize as the last stage of the layer before it.
func stageBytes(p *ops.Preparation, through int) (*ops.Stage, error) {
	if through != 0 || p.Inputs[1].Tensor == nil || p.Inputs[2].Tensor == nil {
		return nil, nil
	}
	l, err := bytesLevel(p)
	if err != nil {
		return nil, err
	}
	return &ops.Stage{Store: func(r *ops.Run, x []float32, at int) {
		l.codes(ir.Data[uint8](r.Outputs[0])[at:at+len(x)], x)
	}}, nil
}

// byteLevel holds the limits of Quantize.
type byteLevel struct {
	low, high, width, levels float32
}

func bytesLevel(p *ops.Preparation) (*byteLevel, error) {
	l := &byteLevel{levels: float32(p.Attributes.(attributes).levels - 1)}
	for i, limit := range []*float32{&l.low, &l.high} {
		t := p.Inputs[i+1].Tensor
		if t == nil || t.ElementType() != ir.F32 || t.Len() != 1 {
			return nil, faults.Errorf("input %d is %v%v, expected one f32", i+1, p.Inputs[i+1].Type, p.Inputs[i+1].Shape)
		}
		*limit = ir.Data[float32](t)[0]
	}
	l.width = l.high - l.low
	if !(l.low < l.high) || math.IsInf(float64(l.width), 0) {
		return nil, faults.Errorf("the limits %v and %v are no range", l.low, l.high)
	}
	return l, nil
}

// codes sets out to the levels of x.
func (l *byteLevel) codes(out []uint8, x []float32) {
	if l.vectorCodes(out, x) {
		return
	}
	out = out[:len(x)]
	for i, v := range x {
		out[i] = l.code(v)
	}
}

// code returns the level of x. The conversions prevent the compiler from fusing operations.
func (l *byteLevel) code(x float32) uint8 {
	switch {
	case !(x > l.low): // NaN too
		return 0
	case x > l.high:
		x = l.high
	}
	return uint8(math.RoundToEven(float64(float32((x-l.low)/l.width) * l.levels)))
}
