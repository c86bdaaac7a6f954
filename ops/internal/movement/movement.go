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
	return kernelOf(strided.Copy(t, view))
}

// Prepare returns Kernel for the view that viewOf returns, whose lengths can change.
func Prepare(p *ops.Preparation, viewOf func(*ops.Preparation) (strided.View, error)) (*ops.Prepared, error) {
	view, err := viewOf(p)
	if err != nil {
		return nil, err
	}
	c := strided.Copy(p.Outputs[0].Type, view)
	return &ops.Prepared{Kernel: kernelOf(c), Refit: func(p *ops.Preparation) (bool, error) {
		view, err := viewOf(p)
		if err != nil {
			return false, err
		}
		*c = *strided.Copy(p.Outputs[0].Type, view)
		return true, nil
	}}, nil
}

func kernelOf(c *strided.Copier) ops.Kernel {
	part := func(r *ops.Run, lo, hi int) error {
		c.Run(r.Stop, r.Outputs[0], r.Inputs[0], lo, hi)
		return nil
	}
	return func(r *ops.Run) error { return r.For(c.Rows, c.Grain, part) }
}
