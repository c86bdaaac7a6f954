package gathernd

import (
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

// newPlan returns the plan for inputs of the shapes data and indices. The shape rule must have
// accepted them.
func newPlan(at attributes, data, indices ir.Shape) *plan {
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
	return p
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	k := newPlan(p.Attributes.(attributes), p.InputShape(dataPort), p.InputShape(indicesPort))
	var s ops.Scratch
	switch p.Inputs[indicesPort].Type {
	case ir.I32:
		return prepareFor(p, k, nil, func(r *ops.Run) []int32 { return ir.Data[int32](r.Inputs[indicesPort]) }, &s), nil
	case ir.I64:
		return prepareFor(p, k, nil, func(r *ops.Run) []int64 { return ir.Data[int64](r.Inputs[indicesPort]) }, &s), nil
	}
	widen, wide := gatherscatter.Wide(&s, indicesPort, k.Count*len(k.tuples.Lengths))
	return prepareFor(p, k, widen, wide, &s), nil
}

// prepareFor prepares the kernel for the indices that get returns. If widen is not nil, it must
// be called before get. s has its area.
func prepareFor[I int32 | int64](p *ops.Preparation, k *plan, widen func(*ops.Run), get func(*ops.Run) []I, s *ops.Scratch) *ops.Prepared {
	flat := ops.AreaOf[int64](s, k.Count).In
	part := gatherscatter.FlattenPart(&k.tuples, get, flat)
	check := func(r *ops.Run) error {
		if widen != nil {
			widen(r)
		}
		return r.For(k.Count, ops.Grain(1), part)
	}
	return &ops.Prepared{
		Kernel:       gatherscatter.GatherKernel(&k.Gather, p.Inputs[dataPort].Type, gatherscatter.Indices[int64]{Check: check, Get: flat}),
		ScratchBytes: s.Bytes(),
		MovedBytes:   p.PickedBytes(),
	}
}
