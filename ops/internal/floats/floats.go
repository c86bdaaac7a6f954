// Package floats builds kernels for the four floating-point types from code for float32 and
// float64. The 16-bit types are converted to float32, computed, and rounded once.
package floats

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Types lists the element types that Kernel accepts.
var Types = []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16}

// Func computes items lo to hi-1 of the output. b is nil if the layer has one input. If an item
// takes long, Func asks stop and returns early.
type Func[T float32 | float64] func(stop parallel.Stop, output, a, b []T, lo, hi int)

// Kernel returns a kernel that computes output 0 from input 0 and, if inputs is 2, input 1. All
// have the same type. The kernel calls f32, or f64 for that type, for ranges of items that have
// at least grain of them.
func Kernel(p *ops.Preparation, inputs, items, grain int, f32 Func[float32], f64 Func[float64]) (*ops.Prepared, error) {
	switch t := p.Outputs[0].Type; t {
	case ir.F32:
		return &ops.Prepared{Kernel: whole(inputs, items, grain, f32)}, nil
	case ir.F64:
		return &ops.Prepared{Kernel: whole(inputs, items, grain, f64)}, nil
	default: // f16 and bf16
		scratchBytes := 0
		for _, fact := range append([]ir.Fact{p.Outputs[0]}, p.Inputs[:inputs]...) {
			shape, err := fact.Shape.Static()
			if err != nil {
				return nil, err
			}
			if scratchBytes, err = AddScratch(scratchBytes, shape); err != nil {
				return nil, err
			}
		}
		kernel := halves(inputs, items, grain, f32, half.F16sToF32s, half.F32sToF16s)
		if t == ir.BF16 {
			kernel = halves(inputs, items, grain, f32, half.BF16sToF32s, half.F32sToBF16s)
		}
		return &ops.Prepared{Kernel: kernel, ScratchBytes: scratchBytes}, nil
	}
}

// AddScratch returns bytes plus the size of a tensor of the given shape in float32.
func AddScratch(bytes int, shape ir.Shape) (int, error) {
	size, err := ir.ByteSize(ir.F32, shape)
	if err == nil && size > math.MaxInt-bytes {
		err = faults.Errorf("%d bytes and shape %v as float32 are more than fit memory", bytes, shape)
	}
	return bytes + size, err
}

// whole returns the kernel of a type that f computes directly.
func whole[T float32 | float64](inputs, items, grain int, f Func[T]) ops.Kernel {
	part := func(r *ops.Run, lo, hi int) error {
		var b []T
		if inputs == 2 {
			b = ir.Data[T](r.Inputs[1])
		}
		f(r.Stop, ir.Data[T](r.Outputs[0]), ir.Data[T](r.Inputs[0]), b, lo, hi)
		return nil
	}
	return func(r *ops.Run) error { return r.For(items, grain, part) }
}

// halves returns the kernel of a 16-bit type, which computes copies in float32.
func halves[T ~uint16](inputs, items, grain int, f Func[float32], load func([]float32, []T), store func([]T, []float32)) ops.Kernel {
	split := func(r *ops.Run) (output, a, b []float32) {
		s := cast.Bytes[float32](r.Scratch)
		n, m := r.Outputs[0].Len(), r.Outputs[0].Len()+r.Inputs[0].Len()
		return s[:n], s[n:m], s[m:]
	}
	part := func(r *ops.Run, lo, hi int) error {
		output, a, b := split(r)
		f(r.Stop, output, a, b, lo, hi)
		return nil
	}
	return func(r *ops.Run) error {
		output, a, b := split(r)
		parallel.Convert(r.Stop, a, ir.Data[T](r.Inputs[0]), load)
		if inputs == 2 {
			parallel.Convert(r.Stop, b[:r.Inputs[1].Len()], ir.Data[T](r.Inputs[1]), load)
		}
		if err := r.For(items, grain, part); err != nil {
			return err
		}
		parallel.Convert(r.Stop, ir.Data[T](r.Outputs[0]), output, store)
		return nil
	}
}
