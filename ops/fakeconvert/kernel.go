package fakeconvert

import (
	"math"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

const (
	// block is the number of elements that are converted to float32 at a time.
	block = 256
)

// kernel computes data in rows, along which scale and shift are one value or contiguous.
type kernel struct {
	scale    strided.View
	row      int // elements
	step     int // 0 if a row has one scale, 1 otherwise
	hasShift bool
	rounding rounding
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	shape, err := p.OutputShape(0)
	if err != nil {
		return nil, err
	}
	scale := p.InputShape(1)
	k := &kernel{hasShift: len(p.Inputs) > 2, rounding: newRounding(p.Attributes.(attributes).destination)}
	if k.hasShift {
		if shift := p.InputShape(2); !slices.Equal(shift, scale) {
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
	n, part := shape.Elements(), ops.Part(k.compute)
	return &ops.Prepared{Kernel: func(r *ops.Run) error { return r.For(n, ops.Grain(4), part) }}, nil
}

// rounding rounds float32 to f16 and then to the numbers of a type of 8 bits, as OpenVINO converts
// them. What is beyond its range becomes its greatest number, an infinity too. NaN stays NaN.
type rounding struct {
	to   precision
	most float32 // the greatest number
}

// newRounding returns the rounding to a type.
func newRounding(t ir.ElementType) rounding {
	if t == ir.F8E5M2 {
		return rounding{precision{(127 - 14) << 23, 3 << (22 - 2)}, 57344}
	}
	return rounding{precision{(127 - 6) << 23, 3 << (22 - 3)}, 448}
}

// apply rounds the elements of x to the nearest numbers, halves to even.
func (r *rounding) apply(x []float32) {
	f16, to, most := precision{(127 - 14) << 23, 3 << (22 - 10)}, r.to, r.most
	for i, v := range x {
		if v > most {
			v = most
		}
		if v < -most {
			v = -most
		}
		x[i] = to.round(f16.round(v))
	}
}

// precision is that of a type of floating-point numbers.
type precision struct {
	least uint32 // the bits of the exponent of the least normal number, as float32
	// magic*2^e, as float32, has the unit in the last place that the numbers of the type from 2^e
	// on have
	magic float32
}

// round rounds x to the nearest number, halves to even, if the type has numbers as large as x.
func (p precision) round(x float32) float32 {
	const sign, exponent = 1 << 31, 255 << 23
	bits := math.Float32bits(x)
	large := math.Float32frombits(max(bits&exponent, p.least)) * p.magic
	return math.Float32frombits(math.Float32bits(x+large-large) | bits&sign)
}

// compute computes elements lo to hi-1.
func (k *kernel) compute(r *ops.Run, lo, hi int) error {
	var data, scale, shift [block]float32
	meter := r.Stop.Meter()
	for lo < hi {
		at := lo % k.row // in the row
		n := min(block, k.row-at, hi-lo)
		if meter.Spent(32 * n) {
			return nil
		}
		x := data[:n]
		load(x, r.Inputs[0], lo)
		m, from := max(n*k.step, 1), k.scale.At(lo-at)+at*k.step
		load(scale[:m], r.Inputs[1], from)
		if k.hasShift {
			load(shift[:m], r.Inputs[2], from)
		}
		for i, v := range x {
			// The conversion keeps the compiler from fusing the product and the difference.
			x[i] = float32(v*scale[i*k.step]) - shift[i*k.step]
		}
		k.rounding.apply(x)
		for i, v := range x {
			x[i] = (v + shift[i*k.step]) / scale[i*k.step]
		}
		store(r.Outputs[0], lo, x)
		lo += n
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
