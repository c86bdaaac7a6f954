package plugin

import (
	"fmt"
	"math"
	"sync"
	"unsafe"

	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/control"
)

// MemoryError is the error for a model that needs more memory than Options.MaxModelBytes. All numbers are bytes.
type MemoryError struct {
	// Weights is what the Constants that kernels read take, packed weights, constants that are computed, and the tables
	// of plans.
	Weights int64
	// Arena is the memory of an InferRequest for the values between the layers, in all bodies too, and for scratch
	// memory if Scratch is known.
	Arena int64
	// Scratch is the largest scratch memory of a layer. It is -1 if the model does not even fit without it, or if the
	// need has come up during an inference, such as that of a shape that depends on data.
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
		memory.Sum(e.Weights, e.Arena), e.Weights, e.Arena, scratch, e.Limit)
}

// resident has the Constants that kernels read where the reader has put them. It is safe for concurrent use.
type resident struct {
	mu    sync.Mutex
	model map[*byte]bool // the data of the Constants of the model; true if a kernel reads them
	bytes int64          // of those that a kernel reads
}

// newResident returns the resident of model.
func newResident(model *ir.Model) *resident {
	r := &resident{model: make(map[*byte]bool)}
	for layer := range model.AllLayers() {
		if t := layer.Constant; t != nil && t.Deferred() == nil {
			r.model[unsafe.SliceData(t.Bytes())] = false
		}
	}
	return r
}

// add records that a kernel reads t.
func (r *resident) add(t *ir.Tensor) {
	if t.Deferred() != nil {
		return
	}
	data := t.Bytes()
	r.mu.Lock()
	defer r.mu.Unlock()
	if read, ofModel := r.model[unsafe.SliceData(data)]; ofModel && !read {
		r.model[unsafe.SliceData(data)] = true
		r.bytes += int64(len(data))
	}
}

// size returns the bytes.
func (r *resident) size() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes
}

// checkNeed returns a *MemoryError if the plan, which has been placed without scratch memory, cannot fit. No kernel has
// been prepared: each constant counts with the bytes of its elements, which packing changes little.
func (p *planner) checkNeed() error {
	limit := p.env.limits.MaxModelBytes
	if limit == 0 {
		return nil
	}
	tooLarge := p.place(p.env.limits.MaxTotalBytes)
	if tooLarge != nil && p.place(math.MaxInt/2) != nil { // which finds what the error states
		return tooLarge
	}
	weights, counted := int64(0), make(map[any]bool)
	for i := range p.steps {
		for _, v := range p.steps[i].inputs {
			t := p.values[v].tensor
			if t == nil {
				continue
			}
			var key any = t.Deferred()
			if d := deferredOf(t); d != nil {
				key = d
			} else if key == nil {
				key = unsafe.SliceData(t.Bytes())
			}
			if counted[key] {
				continue
			}
			counted[key] = true
			size, err := ir.ByteSize(t.ElementType(), t.Shape())
			if err != nil {
				return control.AtLayer(p.steps[i].layer, err)
			}
			weights = memory.Sum(weights, int64(size))
		}
	}
	if arenas := p.env.arenas.with(p.program, p.arena); memory.Sum(weights, arenas) > limit {
		return &MemoryError{Weights: weights, Arena: arenas, Scratch: -1, Limit: limit}
	}
	return tooLarge
}

// checkMemory returns a *MemoryError if the plan, whose kernels have been prepared, does not fit.
func (p *planner) checkMemory() error {
	limit := p.env.limits.MaxModelBytes
	if limit == 0 {
		return nil
	}
	scratch := 0
	for i := range p.steps {
		scratch = max(scratch, p.steps[i].scratchBytes)
		for _, v := range p.steps[i].inputs {
			if t := p.values[v].tensor; t != nil && !p.values[v].released {
				p.env.resident.add(t)
			}
		}
	}
	weights := p.env.weights()
	if arenas := p.env.arenas.with(p.program, p.arena); memory.Sum(weights, arenas) > limit {
		return &MemoryError{Weights: weights, Arena: arenas, Scratch: int64(scratch), Limit: limit}
	}
	p.env.arenas.add(p.program, p.arena)
	return nil
}

// weights returns the bytes of MemoryError.Weights.
func (e *environment) weights() int64 { return memory.Sum(e.resident.size(), e.memory.inUse()) }

// checkRequest returns a *MemoryError if a request that has used bytes cannot have n more.
func (e *environment) checkRequest(used, n int64) error {
	if e == nil || e.limits.MaxModelBytes == 0 {
		return nil
	}
	weights, needed := e.weights(), memory.Sum(used, n)
	if memory.Sum(weights, needed) > e.limits.MaxModelBytes {
		return &MemoryError{Weights: weights, Arena: needed, Scratch: -1, Limit: e.limits.MaxModelBytes}
	}
	return nil
}

// arenas has the largest arena of the plans of each program: an InferRequest keeps one for the model and one for
// each body. It is safe for concurrent use.
type arenas struct {
	mu    sync.Mutex
	bytes map[*program]int64
	total int64
}

// with returns the bytes of all arenas if p has a plan with an arena of n bytes.
func (a *arenas) with(p *program, n int) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return memory.Sum(a.total, max(int64(n)-a.bytes[p], 0))
}

// add records that p has a plan with an arena of n bytes.
func (a *arenas) add(p *program, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if more := int64(n) - a.bytes[p]; more > 0 {
		if a.bytes == nil {
			a.bytes = make(map[*program]int64)
		}
		a.bytes[p] += more
		a.total += more
	}
}
