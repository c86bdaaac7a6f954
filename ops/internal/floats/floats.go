// Package floats builds kernels for float32 and float64 from one generic function, and reads and
// writes single elements of all floating-point types. The 16-bit types are computed in float32, see
// package widened.
package floats

import (
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Types lists the floating-point element types that families compute.
var Types = []ir.ElementType{ir.F32, ir.F64, ir.F16, ir.BF16}

// Func computes items lo to hi-1 of the output. b is nil if the layer has one input. If an item
// takes long, Func asks stop and returns early.
type Func[T float32 | float64] func(stop parallel.Stop, output, a, b []T, lo, hi int)

// Kernel returns a kernel that computes output 0 from input 0 and, if inputs is 2, input 1. All
// have the same type. The kernel calls f64 for type f64, otherwise f32, for ranges of items that
// have at least grain of them.
func Kernel(p *ops.Preparation, inputs, items, grain int, f32 Func[float32], f64 Func[float64]) *ops.Prepared {
	if p.Outputs[0].Type == ir.F64 {
		return &ops.Prepared{Kernel: kernel(inputs, items, grain, f64)}
	}
	return &ops.Prepared{Kernel: kernel(inputs, items, grain, f32)}
}

// kernel returns the kernel of a type.
func kernel[T float32 | float64](inputs, items, grain int, f Func[T]) ops.Kernel {
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
