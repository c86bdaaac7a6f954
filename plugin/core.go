package plugin

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strconv"

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

// Options are limits on the memory that a model can ask for, so that models from anywhere
// can be run. They are checked before memory is allocated: a model that asks for more is
// refused with an error. Constants, for which the reader has limits of its own, and the
// tensors of the caller do not count.
type Options struct {
	// MaxTensorBytes bounds each tensor that a model computes. 0 means 4 GiB, or 512 MiB on
	// machines with 32-bit addresses.
	MaxTensorBytes int64
	// MaxTotalBytes bounds the memory of one InferRequest, that of the constants that are
	// computed when a model is compiled, and that of the packed weights of a CompiledModel,
	// each by itself. 0 means 16 GiB, or 1 GiB on machines with 32-bit addresses.
	MaxTotalBytes int64
	// MaxPlans bounds how many sets of input shapes a CompiledModel, and each InferRequest,
	// keeps ready. 0 means 32.
	MaxPlans int
	// MaxPlanBytes bounds the memory of the plans that a CompiledModel keeps, beyond the one
	// in use. 0 means 256 MiB.
	MaxPlanBytes int64
}

// NewCore returns a Core with the layer types of registry.
func NewCore(registry *Registry, options Options) *Core {
	tensor, total := int64(4<<30), int64(16<<30)
	if strconv.IntSize == 32 || runtime.GOARCH == "wasm" {
		tensor, total = 512<<20, 1<<30
	}
	options.MaxTensorBytes = min(orDefault(options.MaxTensorBytes, tensor), math.MaxInt)
	options.MaxTotalBytes = min(orDefault(options.MaxTotalBytes, total), math.MaxInt)
	options.MaxPlans = orDefault(options.MaxPlans, 32)
	options.MaxPlanBytes = orDefault(options.MaxPlanBytes, 256<<20)
	return &Core{registry: registry, options: options}
}

func orDefault[T int | int64](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

// atLayer adds the identity of the layer that an error is about.
func atLayer(layer *ir.Layer, err error) error { return &ir.LayerError{Layer: layer, Err: err} }

// guard makes a panic an error: the last line of defence of public functions.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = bug(r)
	}
}

func bug(r any) error {
	return fmt.Errorf("BUG: panic: %v\n%s", r, debug.Stack())
}
