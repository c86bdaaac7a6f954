package plugin

import (
	"fmt"
	"math"
	"runtime"
	"strconv"

	sizes "github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
)

// Core compiles models with the layer types of one registry. It is immutable and safe for
// concurrent use.
type Core struct {
	registry *Registry
	options  Options
	// checkPass, if not nil, is called with each graph that a pass has changed. Tests set it.
	checkPass func(pass string, m *ir.Model)
}

// Options limits the memory that a model can ask for, so that untrusted models can be run. The
// limits are checked before memory is allocated; a model that needs more gets an error. They do not
// count the tensors of the caller and, except for MaxModelBytes, Constants, which the reader
// limits.
type Options struct {
	// MaxTensorBytes bounds each tensor that a model computes. 0 means 4 GiB, or 512 MiB on
	// machines with 32-bit addresses.
	MaxTensorBytes int64
	// MaxTotalBytes bounds the memory of one InferRequest. 0 means 16 GiB, or 1 GiB on machines
	// with 32-bit addresses.
	MaxTotalBytes int64
	// MaxKeptBytes bounds the memory that a CompiledModel keeps: the constants that are computed,
	// packed weights, aligned copies of Constants, and the tables of plans. 0 means MaxTotalBytes:
	// a model can compute weights of any size from a small .bin.
	MaxKeptBytes int64
	// MaxModelBytes bounds the memory of a CompiledModel and one InferRequest together, with the
	// Constants that stay where the reader has put them. It is for boards with little memory, see
	// SystemMemory. A model that needs more is a *MemoryError, before its kernels are prepared if
	// it is too large without their scratch memory. With unknown shapes, Infer returns the error.
	// Bodies of layers count together, as a request has memory for each. 0 means no bound.
	MaxModelBytes int64
	// MaxPlans bounds the number of plans, one for each set of input shapes, that a CompiledModel
	// keeps, and the number that each InferRequest keeps. Shapes can share a plan if they differ in
	// lengths that few layers depend on. 0 means 32.
	MaxPlans int
	// MaxPlanBytes bounds the memory of the plans that a CompiledModel keeps, including those of
	// bodies and the kernels that are prepared at run time. To make room for a new plan, those that
	// were used least recently are dropped, also by InferRequests when they run the next time. It
	// is an error if the tables of kernels, such as the positions and weights of an Interpolate,
	// need more. Apart from its tables, the newest plan is always kept. 0 means 64 MiB. The tables
	// of real networks take up to a few MiB.
	MaxPlanBytes int64
}

// SystemMemory returns the memory that the process can use, in bytes: that of the machine, or less
// if the control group of the process has a limit, as in a container. It returns 0 if the system
// does not say, as all but Linux.
func SystemMemory() int64 { return sizes.Limit() }

// NewCore returns a Core with the layer types of registry.
func NewCore(registry *Registry, options Options) *Core {
	tensor, total := int64(4<<30), int64(16<<30)
	if strconv.IntSize == 32 || runtime.GOARCH == "wasm" {
		tensor, total = 512<<20, 1<<30
	}
	options.MaxTensorBytes = min(orDefault(options.MaxTensorBytes, tensor), math.MaxInt)
	options.MaxTotalBytes = min(orDefault(options.MaxTotalBytes, total), math.MaxInt)
	options.MaxKeptBytes = min(orDefault(options.MaxKeptBytes, options.MaxTotalBytes), math.MaxInt)
	options.MaxPlans = orDefault(options.MaxPlans, 32)
	options.MaxPlanBytes = orDefault(options.MaxPlanBytes, 64<<20)
	return &Core{registry: registry, options: options}
}

func orDefault[T int | int64](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

// MemoryError is the error for a model that needs more memory than Options.MaxModelBytes. All
// numbers are bytes.
type MemoryError struct {
	// Weights is what the Constants that kernels read take, packed weights, constants that are
	// computed, and the tables of plans.
	Weights int64
	// Arena is the memory of an InferRequest for the values between the layers, in all bodies too,
	// and for scratch memory if Scratch is known.
	Arena int64
	// Scratch is the largest scratch memory of a layer. It is -1 if the model does not even fit
	// without it, or if the need has come up during an inference, such as that of a shape that
	// depends on data.
	Scratch int64
	// Limit is MaxModelBytes.
	Limit int64
}

// Error implements error.
func (e *MemoryError) Error() string {
	scratch := "and more for scratch memory"
	if e.Scratch >= 0 {
		scratch = fmt.Sprintf("with %d of scratch memory", e.Scratch)
	}
	return fmt.Sprintf("the model needs %d bytes, %d for weights and %d for values between the layers, %s: more than the limit of %d (MaxModelBytes)",
		sizes.Sum(e.Weights, e.Arena), e.Weights, e.Arena, scratch, e.Limit)
}

// newMemoryError returns a function that returns a *MemoryError for a limit.
func newMemoryError(limit int64) func(weights, arena, scratch int64) error {
	return func(weights, arena, scratch int64) error {
		return &MemoryError{Weights: weights, Arena: arena, Scratch: scratch, Limit: limit}
	}
}
