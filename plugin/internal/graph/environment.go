package graph

import (
	"sync"

	sizes "github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/subnormal"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// Rules has the layer types that a model can have.
type Rules interface {
	infer.Rules
	// Op returns the Op of a layer. The error says that there is none.
	Op(*ir.Layer) (*ops.Op, error)
}

// Environment is the input of planning besides the model: the layer types, the limits, the number
// of threads, and what the plans of a compiled model and of its bodies share. It is complete before
// the first plan. SetModel sets the fields from Variables on.
type Environment struct {
	Registry Rules
	// Exceeded returns the error for a model that needs more memory than Limits.MaxModelBytes.
	Exceeded   func(weights, arena, scratch int64) error
	Threads    int            // for one Infer
	Fold, Fuse bool           // the optimizations FoldConstants and FuseStages
	Accurate   bool           // the execution mode is ACCURACY
	Group      int            // ops.Preparation.QuantizationGroup
	Rounded    ir.ElementType // ops.Preparation.Rounded
	KVCache    ir.ElementType // Graph.KVCache
	// Variables are the variables of the model, variableIndex their indices by id.
	Variables     []Variable
	variableIndex map[string]int
	Memory        *memory.Compiled // what the plans of the model and of its bodies keep
	// LayerTypes are the types of the layers of all graphs, before and after each pass.
	LayerTypes map[string]bool

	// Reasons has why layers are not computed in integers, for ProfilingInfo. It does not change
	// after the compilation.
	Reasons map[*ir.Layer]string

	dynamicLock    sync.Mutex
	dynamicKernels map[*ir.Layer]*memory.Cache // of *DynamicKernel
}

// Preparation returns the Preparation of layer with what the model decides: how many threads it may
// use and how precise it must be. The caller adds what it knows about inputs and outputs.
func (e *Environment) Preparation(layer *ir.Layer, attributes any, stop parallel.Stop) *ops.Preparation {
	return &ops.Preparation{
		Layer: layer, Attributes: attributes, Threads: e.Threads, Accurate: e.Accurate, QuantizationGroup: e.Group, Rounded: e.Rounded,
		Variables: e.variableIndex, Stop: stop,
	}
}

// ShareWeights makes e share what kernels compute from the Constants of model, which SetModel was
// called with, with another model. It does nothing if the results could differ.
func (e *Environment) ShareWeights(with *Environment, model *ir.Model) {
	if e.Threads == with.Threads && e.Accurate == with.Accurate && e.Group == with.Group && e.Rounded == with.Rounded {
		e.Memory.Share(with.Memory, model)
	}
}

// Flush makes the thread flush subnormal numbers, as kernels do unless the execution mode is
// ACCURACY, until Restore of the returned mode.
func (e *Environment) Flush() subnormal.Mode {
	if e.Accurate {
		return subnormal.Mode{}
	}
	return subnormal.Flush()
}

// note keeps the reason why a layer of the model is not computed in integers.
func (e *Environment) note(layer *ir.Layer, reason string) {
	if e.Reasons == nil {
		e.Reasons = make(map[*ir.Layer]string)
	}
	e.Reasons[Origin(layer)] = reason
}

// Origin returns the layer of the model that layer was made from.
func Origin(layer *ir.Layer) *ir.Layer {
	if layer.Origin != nil {
		return layer.Origin
	}
	return layer
}

// CacheOf returns the cache of a layer that all plans share. Each token of a text model has a plan
// of its own, as the mask is longer, but most of its layers have the same shapes.
func (e *Environment) CacheOf(layer *ir.Layer) *memory.Cache {
	e.dynamicLock.Lock()
	defer e.dynamicLock.Unlock()
	if e.dynamicKernels == nil {
		e.dynamicKernels = map[*ir.Layer]*memory.Cache{}
	}
	if e.dynamicKernels[layer] == nil {
		e.dynamicKernels[layer] = e.Memory.Caches.NewCache(e.Memory.Limits.MaxPlans)
	}
	return e.dynamicKernels[layer]
}

// CheckRequest returns a *MemoryError if a request that has used bytes cannot have n more.
func (e *Environment) CheckRequest(used, n int64) error {
	limit := e.Memory.Limits.MaxModelBytes
	if limit == 0 {
		return nil
	}
	weights, needed := e.Memory.Weights(), sizes.Sum(used, n)
	if sizes.Sum(weights, needed) > limit {
		return e.Exceeded(weights, needed, -1)
	}
	return nil
}
