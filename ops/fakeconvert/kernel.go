package fakeconvert

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/minifloat"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

const (
	// grain is the number of elements that are worth another thread.
	grain = 1 << 12
	// block is the number of elements that are converted to float32 at a time.
	block = 256
)

// kernel computes data in rows, along which scale and shift are one value or contiguous.
type kernel struct {
	scale    strided.View
	row      int // elements
	step     int // 0 if a row has one scale, 1 otherwise
	rows     int
	hasShift bool
	round    func(float32) float32
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape, err := p.Outputs[0].Shape.Static()
	if err != nil {
		return nil, err
	}
	scale, err := p.Inputs[1].Shape.Static()
	if err != nil {
		return nil, err
	}
	k := &kernel{hasShift: len(p.Inputs) > 2, round: rounding(p.Attributes.(attributes).destination)}
	if k.hasShift {
		if shift, err := p.Inputs[2].Shape.Static(); err != nil || !slices.Equal(shift, scale) {
			return nil, faults.Errorf("shift has shape %v, scale has shape %v", p.Inputs[2].Shape, scale)
		}
	}
	k.scale = strided.View{Lengths: shape, Strides: make([]int, len(shape))}
	strides := strided.Strides(scale)
	for i, n := range scale {
		if axis := len(shape) - len(scale) + i; n == shape[axis] {
			k.scale.Strides[axis] = strides[i]
		}
	}
	k.row = 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		stride := k.scale.Strides[axis]
		switch {
		case shape[axis] == 1:
			continue
		case k.row == 1:
			k.step = min(stride, 1)
		}
		if stride != k.step*k.row {
			break
		}
		k.row *= shape[axis]
	}
	if n := shape.Elements(); n > 0 {
		k.rows = n / k.row
	}
	rowGrain, part := max(grain/max(k.row, 1), 1), ops.Part(k.compute)
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(k.rows, rowGrain, part) }}, nil
}

// rounding returns the function that rounds to a type. What is beyond its range becomes its greatest
// number, an infinity too. NaN stays NaN.
func rounding(t ir.ElementType) func(float32) float32 {
	encode, decode, most := minifloat.F32ToF8E4M3, minifloat.F8E4M3ToF32, float32(448)
	if t == ir.F8E5M2 {
		encode, decode, most = minifloat.F32ToF8E5M2, minifloat.F8E5M2ToF32, 57344
	}
	return func(x float32) float32 {
		if math.IsNaN(float64(x)) {
			return x
		}
		return decode(encode(min(max(x, -most), most)))
	}
}

// compute computes rows lo to hi-1.
func (k *kernel) compute(r *ops.Run, lo, hi int) error {
	var data, scale, shift [block]float32
	meter := r.Stop.Meter()
	for ; lo < hi; lo++ {
		from := k.scale.At(lo * k.row)
		for at := 0; at < k.row; at += block {
			n := min(block, k.row-at)
			if meter.Spent(32 * n) {
				return nil
			}
			x := data[:n]
			load(x, r.Inputs[0], lo*k.row+at)
			if at == 0 || k.step > 0 {
				m := max(n*k.step, 1)
				load(scale[:m], r.Inputs[1], from+at*k.step)
				if k.hasShift {
					load(shift[:m], r.Inputs[2], from+at*k.step)
				}
			}
			for i, v := range x {
				s, z := scale[i*k.step], shift[i*k.step]
				// The conversion keeps the compiler from fusing the product and the difference.
				x[i] = (k.round(float32(v*s)-z) + z) / s
			}
			store(r.Outputs[0], lo*k.row+at, x)
		}
	}
	return nil
}

// load converts the elements of t from at on to float32.
func load(dst []float32, t *ir.Tensor, at int) {
	switch t.ElementType() {
	case ir.F16:
		half.F16sToF32s(dst, ir.Data[uint16](t)[at:at+len(dst)])
	case ir.BF16:
		half.BF16sToF32s(dst, ir.Data[half.BFloat16](t)[at:at+len(dst)])
	default:
		copy(dst, ir.Data[float32](t)[at:])
	}
}

// store converts src to the elements of t from at on.
func store(t *ir.Tensor, at int, src []float32) {
	switch t.ElementType() {
	case ir.F16:
		half.F32sToF16s(ir.Data[uint16](t)[at:at+len(src)], src)
	case ir.BF16:
		half.F32sToBF16s(ir.Data[half.BFloat16](t)[at:at+len(src)], src)
	default:
		copy(ir.Data[float32](t)[at:], src)
	}
}
