package plugin

import (
	"fmt"
	"math"

	sizes "github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/memory"
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
		sizes.Sum(e.Weights, e.Arena), e.Weights, e.Arena, scratch, e.Limit)
}

// checkNeed returns a *MemoryError if the plan, which has been placed without scratch memory, cannot fit. No kernel has
// been prepared: each constant counts with the bytes of its elements, which packing changes little.
func (p *planner) checkNeed() error {
	limit := p.env.memory.Limits.MaxModelBytes
	if limit == 0 {
		return nil
	}
	tooLarge := p.place(p.env.memory.Limits.MaxTotalBytes)
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
			if counted[memory.Identity(t)] {
				continue
			}
			counted[memory.Identity(t)] = true
			size, err := ir.ByteSize(t.ElementType(), t.Shape())
			if err != nil {
				return control.AtLayer(p.steps[i].layer, err)
			}
			weights = sizes.Sum(weights, int64(size))
		}
	}
	if arenas := p.env.memory.Arenas.With(p.program, p.arena); sizes.Sum(weights, arenas) > limit {
		return &MemoryError{Weights: weights, Arena: arenas, Scratch: -1, Limit: limit}
	}
	return tooLarge
}

// checkMemory returns a *MemoryError if the plan, whose kernels have been prepared, does not fit.
func (p *planner) checkMemory() error {
	limit := p.env.memory.Limits.MaxModelBytes
	if limit == 0 {
		return nil
	}
	scratch := 0
	for i := range p.steps {
		scratch = max(scratch, p.steps[i].scratchBytes)
		for _, v := range p.steps[i].inputs {
			if t := p.values[v].tensor; t != nil && !p.values[v].released {
				p.env.memory.InPlace.Add(t)
			}
		}
	}
	weights := p.env.memory.Weights()
	if arenas := p.env.memory.Arenas.With(p.program, p.arena); sizes.Sum(weights, arenas) > limit {
		return &MemoryError{Weights: weights, Arena: arenas, Scratch: int64(scratch), Limit: limit}
	}
	p.env.memory.Arenas.Add(p.program, p.arena)
	return nil
}

// checkRequest returns a *MemoryError if a request that has used bytes cannot have n more.
func (e *environment) checkRequest(used, n int64) error {
	limit := e.memory.Limits.MaxModelBytes
	if limit == 0 {
		return nil
	}
	weights, needed := e.memory.Weights(), sizes.Sum(used, n)
	if sizes.Sum(weights, needed) > limit {
		return &MemoryError{Weights: weights, Arena: needed, Scratch: -1, Limit: limit}
	}
	return nil
}
