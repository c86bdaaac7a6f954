package gathernd

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// plan describes data as rows that tuples refer to by their index in row-major order. The rows
// of all batches are counted together.
type plan struct {
	gatherscatter.Gather
	tuples gatherscatter.Tuples
}

// newPlan returns the plan for inputs with static shapes. The shape rule must have accepted
// them.
func newPlan(at attributes, inputs []ir.Fact) (*plan, error) {
	data, err := inputs[dataPort].Shape.Static()
	if err != nil {
		return nil, err
	}
	indices, err := inputs[indicesPort].Shape.Static()
	if err != nil {
		return nil, err
	}
	batch, last := int(at.batchDims), len(indices)-1
	inner := batch + indices[last]
	p := &plan{Gather: gatherscatter.Gather{
		Batch: 1, Outer: 1, Length: data[:inner].Elements(),
		Count: indices[:last].Elements(), N: data[inner:].Elements(),
	}}
	if indices[last] == 0 && p.N == 0 {
		p.Count = 0 // there may be more tuples than there are elements of any tensor
	}
	p.tuples = gatherscatter.Tuples{
		Batch: data[:batch].Elements(), Count: p.Count, Length: p.Length,
		Lengths: data[batch:inner], Port: indicesPort,
	}
	return p, nil
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	k, err := newPlan(at, p.Inputs)
	if err != nil {
		return nil, err
	}
	switch p.Inputs[indicesPort].Type {
	case ir.I32:
		return prepareFor(p, k, nil, func(r *ops.Run) []int32 { return ir.Data[int32](r.Inputs[indicesPort]) }, 0)
	case ir.I64:
		return prepareFor(p, k, nil, func(r *ops.Run) []int64 { return ir.Data[int64](r.Inputs[indicesPort]) }, 0)
	}
	bytes, err := gatherscatter.WidenBytes(k.Count * len(k.tuples.Lengths))
	if err != nil {
		return nil, err
	}
	wide := func(r *ops.Run) []int64 { return cast.Bytes[int64](r.Scratch[:bytes]) }
	return prepareFor(p, k, func(r *ops.Run) { gatherscatter.Widen(r.Stop, wide(r), r.Inputs[indicesPort]) }, wide, bytes)
}

// prepareFor prepares the kernel for the indices that get returns. If widen is not nil, it must
// be called before get, and fills the first wideBytes bytes of the scratch memory.
func prepareFor[I int32 | int64](p *ops.Preparation, k *plan, widen func(*ops.Run), get func(*ops.Run) []I, wideBytes int) (*ops.Prepared, error) {
	bytes, err := gatherscatter.WidenBytes(k.Count)
	if err != nil {
		return nil, err
	}
	flat := func(r *ops.Run) []int64 { return cast.Bytes[int64](r.Scratch[wideBytes:][:bytes]) }
	part := gatherscatter.FlattenPart(&k.tuples, get, flat)
	check := func(r *ops.Run) error {
		if widen != nil {
			widen(r)
		}
		return r.For(k.Count, ops.Grain(1), part)
	}
	return &ops.Prepared{
		Kernel:       gatherscatter.GatherKernel(k.Gather, p.Inputs[dataPort].Type, gatherscatter.Indices[int64]{Check: check, Get: flat}),
		ScratchBytes: wideBytes + bytes,
		MovedBytes:   p.PickedBytes(),
	}, nil
}
