package memory

import (
	"fmt"
	"sync"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin/internal/control"
)

// OnceStore keeps the results of Preparation.Once, such as packed weights: that of a compiled model
// for the lifetime of the model, that of a plan as long as the plan.
type OnceStore struct {
	ledger  *Ledger
	mu      sync.Mutex
	entries map[onceKey]*onceEntry
}

// NewOnceStore returns a store whose results are charged to a ledger.
func NewOnceStore(ledger *Ledger) *OnceStore { return &OnceStore{ledger: ledger} }

// onceKey is what a result of Preparation.Once depends on.
type onceKey struct {
	elements any // sourceOf the constant
	size     int // of elements in memory, in bytes
	// text has the type and shape of the constant, the type of the layer and the key.
	text string
}

type onceEntry struct {
	lock  control.Lock // guards the other fields
	made  bool
	value any
	err   error
}

// Keep implements Preparation.Keep for layer, whose inputs have the given facts. The results for
// Constants of the model are kept as long as the compiled model. Other values are constant only for
// the given shapes, and their results are kept in s, the store of a plan. If stop is requested, the
// error is parallel.ErrStopped, and what was not finished is made by the next call.
func (c *Compiled) Keep(s *OnceStore, layer *ir.Layer, op *ops.Op, inputs []ir.Fact, stop parallel.Stop) func(*ir.Tensor, string, int64, func() (any, error)) (any, error) {
	return (&keeper{c, s, layer, op, inputs, stop}).once
}

// keeper has what Keep is called with.
type keeper struct {
	compiled *Compiled
	own      *OnceStore
	layer    *ir.Layer
	op       *ops.Op
	inputs   []ir.Fact
	stop     parallel.Stop
}

// once is ops.Preparation.Once for the layer.
func (k *keeper) once(constant *ir.Tensor, name string, bytes int64, make func() (any, error)) (any, error) {
	to, key := k.own, keyOf(constant, k.op.Type+" "+name)
	for i, in := range k.layer.Inputs {
		if k.inputs[i].Tensor == constant && in.Source.Constant != nil {
			to = k.compiled.storeFor(key.elements)
		}
	}
	entry, err := to.entry(key, bytes)
	if err != nil {
		return nil, err
	}
	if err := entry.lock.Acquire(k.stop); err != nil {
		return nil, err
	}
	defer entry.lock.Release()
	if !entry.made {
		value, err := guarded(make)
		if err := k.stop.Err(); err != nil {
			return nil, err
		}
		entry.made, entry.value, entry.err = true, value, err
	}
	return entry.value, entry.err
}

// guarded returns the result of make. A panic becomes an error.
func guarded(make func() (any, error)) (value any, err error) {
	defer control.Guard(&err)
	return make()
}

// keyOf returns the key for a constant. Constants with the same elements have the same key if type
// and shape are equal.
func keyOf(constant *ir.Tensor, text string) onceKey {
	key := onceKey{elements: sourceOf(constant), text: fmt.Sprint(constant.ElementType(), constant.Shape(), " ", text)}
	if constant.Deferred() == nil {
		key.size = len(constant.Bytes())
	}
	return key
}

// entry returns the entry for a key. If it is missing, entry charges the bytes and adds one.
func (s *OnceStore) entry(key onceKey, bytes int64) (*onceEntry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if entry := s.entries[key]; entry != nil {
		return entry, nil
	}
	if err := s.ledger.Charge(bytes); err != nil {
		return nil, faults.Errorf("packed weights: %w", err)
	}
	if s.entries == nil {
		s.entries = make(map[onceKey]*onceEntry)
	}
	entry := &onceEntry{lock: control.NewLock()}
	s.entries[key] = entry
	return entry, nil
}
