package conv

import "github.com/vinoir/vinoir/internal/parallel"

// Planes is a plan of float32 that needs no packed filters: a depthwise.Plan, a
// depthwise.Transposed or a pointwise.Plan.
type Planes interface {
	// Items returns the number of work items. They are independent of each other.
	Items() int
	// ItemFlops returns the approximate number of floating-point operations of an item.
	ItemFlops() int
	// Scratch returns the number of elements of the scratch memory that Run needs.
	Scratch() int
	// Run computes items lo to hi-1. out, in and weights are the whole tensors. scratch has Scratch
	// elements; calls that run at the same time must not share it. Run ends early if stop is
	// requested.
	Run(stop parallel.Stop, out, in, weights []float32, e *Epilogue, scratch []float32, lo, hi int)
}
