package plugin

import (
	"fmt"
	"sync"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

// environment is the input of planning besides the model: the layer types, the limits, the number
// of threads, and what the plans of a compiled model and of its bodies share. It is created before
// the first plan.
type environment struct {
	registry   *Registry
	limits     Options
	threads    int  // for one Infer
	fold, fuse bool // the optimizations FoldConstants and FuseStages
	// variables are the variables of the model, variableIndex their indices by id.
	variables     []modelVariable
	variableIndex map[string]int
	// discard is called with a constant of the model that will not be read soon.
	discard func(*ir.Tensor)

	once    onceStore
	buffers buffers // of deferred constants
}

// newEnvironment returns the environment for model, which has the given shapes.
func (c *Core) newEnvironment(model *ir.Model, shapes *infer.Shapes, options *CompileOptions) (*environment, error) {
	variables, index, err := c.registry.variables(model, shapes)
	if err != nil {
		return nil, err
	}
	return &environment{
		registry: c.registry, limits: c.options, threads: options.InferenceNumThreads / options.NumStreams,
		fold: !options.disables(FoldConstants), fuse: !options.disables(FuseStages),
		variables: variables, variableIndex: index, discard: model.Discard,
	}, nil
}

// sizeOf returns the size of a tensor in bytes; for a string tensor, its number of elements. It
// returns an error if the size is beyond MaxTensorBytes.
func (e *environment) sizeOf(t ir.ElementType, shape ir.Shape) (int, error) {
	size, err := ir.ByteSize(t, shape)
	if err != nil {
		return 0, err
	}
	if int64(size) > e.limits.MaxTensorBytes {
		return 0, fmt.Errorf("%v%v needs %d bytes, more than MaxTensorBytes, %d", t, shape, size, e.limits.MaxTensorBytes)
	}
	if t == ir.String {
		return shape.Elements(), nil
	}
	return size, nil
}

// onceStore keeps the results of Preparation.Once, such as packed weights, for the lifetime of the
// compiled model.
type onceStore struct {
	mu      sync.Mutex
	entries map[onceKey]*onceEntry
	bytes   int64 // of all entries
}

type onceKey struct {
	layer *ir.Layer
	key   string
}

type onceEntry struct {
	once  sync.Once
	value any
	err   error
}

// keeper returns Preparation.Keep for layer, whose inputs have the given facts. If the constant inputs
// are Constants of the model, the results are kept as long as the compiled model. Otherwise they are
// values that are constant only for the given shapes, and the results are kept in store. MaxTotalBytes
// bounds all results in one store together.
func (e *environment) keeper(layer *ir.Layer, inputs []ir.Fact, store *onceStore) func(string, int64, func() (any, error)) (any, error) {
	shared := true
	for i, in := range layer.Inputs {
		shared = shared && (inputs[i].Tensor == nil || in.Source.Constant != nil)
	}
	if shared {
		store = &e.once
	}
	return func(key string, bytes int64, make func() (any, error)) (any, error) {
		entry, err := store.entry(onceKey{layer, key}, bytes, e.limits.MaxTotalBytes)
		if err != nil {
			return nil, err
		}
		entry.once.Do(func() {
			defer guard(&entry.err)
			entry.value, entry.err = make()
		})
		return entry.value, entry.err
	}
}

// entry returns the entry for a key. If it is missing, entry adds one of the given size.
func (s *onceStore) entry(key onceKey, bytes, limit int64) (*onceEntry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if entry := s.entries[key]; entry != nil {
		return entry, nil
	}
	if bytes > limit-s.bytes {
		return nil, fmt.Errorf("packed weights need %d bytes more than the %d in use, together more than MaxTotalBytes, %d", bytes, s.bytes, limit)
	}
	if s.entries == nil {
		s.entries = make(map[onceKey]*onceEntry)
	}
	s.bytes += bytes
	entry := new(onceEntry)
	s.entries[key] = entry
	return entry, nil
}
