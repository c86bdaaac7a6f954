// Package movement builds kernels from the copies of package strided, for families whose output is
// a view of their input, or consists of several of them.
package movement

import (
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/strided"
)

// Kernel returns the kernel that sets output 0, of element type t, to a view of input 0:
//
//	for each i: output[i] = input[view.At(i)]
//
// It runs on all threads.
func Kernel(t ir.ElementType, view strided.View) ops.Kernel {
	c := strided.Copy(t, view)
	part := func(r *ops.Run, lo, hi int) error {
		c.Run(r.Stop, r.Outputs[0], r.Inputs[0], lo, hi)
		return nil
	}
	return func(r *ops.Run) error { return r.For(c.Rows, c.Grain, part) }
}
