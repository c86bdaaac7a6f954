package plan

import (
	"math"

	sizes "github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/control"
	"github.com/vinoir/vinoir/plugin/internal/memory"
)

// checkNeed returns a *MemoryError if the plan, which has been placed without scratch memory,
// cannot fit. No kernel has been prepared: each constant counts with the bytes of its elements,
// which packing changes little.
func (p *planner) checkNeed() error {
	limit := p.env.Memory.Limits.MaxModelBytes
	if limit == 0 {
		return nil
	}
	tooLarge := p.place(p.env.Memory.Limits.MaxTotalBytes)
	if tooLarge != nil && p.place(math.MaxInt/2) != nil { // which finds what the error states
		return tooLarge
	}
	weights, counted := int64(0), make(map[any]bool)
	for i := range p.Steps {
		for _, v := range p.Steps[i].Inputs {
			t := p.Values[v].Tensor
			if t == nil {
				continue
			}
			if counted[memory.Identity(t)] {
				continue
			}
			counted[memory.Identity(t)] = true
			size, err := ir.ByteSize(t.ElementType(), t.Shape())
			if err != nil {
				return control.AtLayer(p.Steps[i].Layer, err)
			}
			weights = sizes.Sum(weights, int64(size))
		}
	}
	if arenas := p.env.Memory.Arenas.With(p.program, p.Arena); sizes.Sum(weights, arenas) > limit {
		return p.env.Exceeded(weights, arenas, -1)
	}
	return tooLarge
}

// checkMemory returns a *MemoryError if the plan, whose kernels have been prepared, does not fit.
func (p *planner) checkMemory() error {
	limit := p.env.Memory.Limits.MaxModelBytes
	if limit == 0 {
		return nil
	}
	scratch := 0
	for i := range p.Steps {
		scratch = max(scratch, p.Steps[i].ScratchBytes)
		for _, v := range p.Steps[i].Inputs {
			if t := p.Values[v].Tensor; t != nil && !p.Values[v].released {
				p.env.Memory.InPlace.Add(t)
			}
		}
	}
	weights := p.env.Memory.Weights()
	if arenas := p.env.Memory.Arenas.With(p.program, p.Arena); sizes.Sum(weights, arenas) > limit {
		return p.env.Exceeded(weights, arenas, int64(scratch))
	}
	p.env.Memory.Arenas.Add(p.program, p.Arena)
	return nil
}
