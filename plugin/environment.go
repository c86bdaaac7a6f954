package plugin

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/control"
)

// environment is the input of planning besides the model: the layer types, the limits, the number
// of threads, and what the plans of a compiled model and of its bodies share. It is created before
// the first plan.
type environment struct {
	registry   *Registry
	limits     Options
	threads    int            // for one Infer
	fold, fuse bool           // the optimizations FoldConstants and FuseStages
	accurate   bool           // the execution mode is ACCURACY
	group      int            // ops.Preparation.QuantizationGroup
	rounded    ir.ElementType // ops.Preparation.Rounded
	kvCache    ir.ElementType // passes.Graph.KVCache
	// variables are the variables of the model, variableIndex their indices by id.
	variables     []modelVariable
	variableIndex map[string]int
	// discard is called with a constant of the model that will not be read soon.
	discard func(*ir.Tensor)

	once    onceStore
	buffers buffers    // of deferred constants
	memory  account    // of all that the compiled model keeps
	plans   planMemory // the part of it that belongs to plans
	// resident is nil without Options.MaxModelBytes.
	resident *resident
	arenas   arenas // only with Options.MaxModelBytes

	// reasons has why layers are not computed in integers, for ProfilingInfo. It does not change after the compilation.
	reasons map[*ir.Layer]string

	lateLock sync.Mutex
	late     map[*ir.Layer]*lru // of *lateEntry
}

// newEnvironment returns the environment for model, which has the given shapes.
func (c *Core) newEnvironment(model *ir.Model, shapes *infer.Shapes, options *CompileOptions) (*environment, error) {
	variables, index, err := c.registry.variables(model, shapes)
	if err != nil {
		return nil, err
	}
	e := &environment{
		registry: c.registry, limits: c.options, threads: options.InferenceNumThreads / options.NumStreams,
		fold: !options.disables(FoldConstants), fuse: !options.disables(FuseStages),
		accurate:  options.ExecutionMode == ExecutionModeAccuracy,
		group:     options.quantizationGroup(),
		rounded:   options.roundedTo(),
		kvCache:   options.kvCachePrecision(model),
		variables: variables, variableIndex: index, discard: model.Discard,
	}
	e.memory.limit = e.limits.MaxKeptBytes
	if e.limits.MaxModelBytes > 0 {
		e.resident = newResident(model)
	}
	e.plans.total, e.plans.limit = &e.memory, e.limits.MaxPlanBytes
	e.once.charge, e.buffers.memory, e.memory.spare = e.memory.charge, &e.memory, e.buffers.drop
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

// sizeOf returns the size of a tensor in bytes; for a string tensor, its number of elements. It
// returns an error if the size is beyond MaxTensorBytes.
func (e *environment) sizeOf(t ir.ElementType, shape ir.Shape) (int, error) {
	size, err := ir.ByteSize(t, shape)
	if err != nil {
		return 0, err
	}
	if int64(size) > e.limits.MaxTensorBytes {
		return 0, faults.Errorf("%v%v needs %d bytes, more than MaxTensorBytes, %d", t, shape, size, e.limits.MaxTensorBytes)
	}
	if t == ir.String {
		return shape.Elements(), nil
	}
	return size, nil
}

// onceStore keeps the results of Preparation.Once, such as packed weights: those of the environment for
// the lifetime of the compiled model, those of a plan as long as the plan.
type onceStore struct {
	charge  func(bytes int64) error
	mu      sync.Mutex
	entries map[onceKey]*onceEntry
}

// onceKey is what a result of Preparation.Once depends on.
type onceKey struct {
	// The elements of the constant: their address, or what computes them.
	data     *byte
	deferred ir.Deferred
	size     int
	// text has the type and shape of the constant, the type of the layer and the key.
	text string
}

type onceEntry struct {
	lock  control.Lock // guards the other fields
	made  bool
	value any
	err   error
}

// keeper returns Preparation.Keep for layer, whose inputs have the given facts. The results for
// Constants of the model are kept as long as the compiled model. Other values are constant only for
// the given shapes, and their results are kept in store. If stop is requested, the error is
// parallel.ErrStopped, and what was not finished is made by the next call.
func (e *environment) keeper(layer *ir.Layer, op *ops.Op, inputs []ir.Fact, store *onceStore, stop parallel.Stop) func(*ir.Tensor, string, int64, func() (any, error)) (any, error) {
	return func(constant *ir.Tensor, key string, bytes int64, make func() (any, error)) (any, error) {
		to := store
		for i, in := range layer.Inputs {
			if inputs[i].Tensor == constant && in.Source.Constant != nil {
				to = &e.once
			}
		}
		entry, err := to.entry(keyOf(constant, op.Type+" "+key), bytes)
		if err != nil {
			return nil, err
		}
		if err := entry.lock.Acquire(stop); err != nil {
			return nil, err
		}
		defer entry.lock.Release()
		if !entry.made {
			value, err := guarded(make)
			if err := stop.Err(); err != nil {
				return nil, err
			}
			entry.made, entry.value, entry.err = true, value, err
		}
		return entry.value, entry.err
	}
}

// guarded returns the result of make. A panic becomes an error.
func guarded(make func() (any, error)) (value any, err error) {
	defer control.Guard(&err)
	return make()
}

// keyOf returns the key for a constant. Constants with the same elements have the same key if type and
// shape are equal.
func keyOf(constant *ir.Tensor, text string) onceKey {
	key := onceKey{deferred: constant.Deferred(), text: fmt.Sprint(constant.ElementType(), constant.Shape(), " ", text)}
	if d := deferredOf(constant); d != nil {
		key.deferred = d
	}
	if key.deferred == nil {
		data := constant.Bytes()
		key.data, key.size = unsafe.SliceData(data), len(data)
	}
	return key
}

// entry returns the entry for a key. If it is missing, entry charges the bytes and adds one.
func (s *onceStore) entry(key onceKey, bytes int64) (*onceEntry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if entry := s.entries[key]; entry != nil {
		return entry, nil
	}
	if err := s.charge(bytes); err != nil {
		return nil, faults.Errorf("packed weights: %w", err)
	}
	if s.entries == nil {
		s.entries = make(map[onceKey]*onceEntry)
	}
	entry := &onceEntry{lock: control.NewLock()}
	s.entries[key] = entry
	return entry, nil
}
