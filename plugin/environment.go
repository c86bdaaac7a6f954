package plugin

import (
	"sync"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// environment is the input of planning besides the model: the layer types, the limits, the number
// of threads, and what the plans of a compiled model and of its bodies share. It is created before
// the first plan.
type environment struct {
	registry   *Registry
	threads    int            // for one Infer
	fold, fuse bool           // the optimizations FoldConstants and FuseStages
	accurate   bool           // the execution mode is ACCURACY
	group      int            // ops.Preparation.QuantizationGroup
	rounded    ir.ElementType // ops.Preparation.Rounded
	kvCache    ir.ElementType // passes.Graph.KVCache
	// variables are the variables of the model, variableIndex their indices by id.
	variables     []modelVariable
	variableIndex map[string]int
	memory        *memory.Compiled // what the plans of the model and of its bodies keep

	// reasons has why layers are not computed in integers, for ProfilingInfo. It does not change after the compilation.
	reasons map[*ir.Layer]string

	lateLock sync.Mutex
	late     map[*ir.Layer]*memory.Cache // of *lateEntry
}

// newEnvironment returns the environment for model, which has the given shapes.
func (c *Core) newEnvironment(model *ir.Model, shapes *infer.Shapes, options *CompileOptions) (*environment, error) {
	variables, index, err := c.registry.variables(model, shapes)
	if err != nil {
		return nil, err
	}
	e := &environment{
		registry: c.registry, threads: options.InferenceNumThreads / options.NumStreams,
		fold: !options.disables(FoldConstants), fuse: !options.disables(FuseStages),
		accurate:  options.ExecutionMode == ExecutionModeAccuracy,
		group:     options.quantizationGroup(),
		rounded:   options.roundedTo(),
		kvCache:   options.kvCachePrecision(model),
		variables: variables, variableIndex: index,
		memory: memory.NewCompiled(model, memory.Limits(c.options)),
	}
	return e, nil
}

// note keeps the reason why a layer of the model is not computed in integers.
func (e *environment) note(layer *ir.Layer, reason string) {
	if e.reasons == nil {
		e.reasons = make(map[*ir.Layer]string)
	}
	e.reasons[origin(layer)] = reason
}

// origin returns the layer of the model that layer was made from.
func origin(layer *ir.Layer) *ir.Layer {
	if layer.Origin != nil {
		return layer.Origin
	}
	return layer
}
