package scatterndupdate

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// plan describes data as rows that tuples refer to by their index in row-major order.
type plan struct {
	gatherscatter.Scatter
	lengths []int // of the axes that a tuple indexes
}

// newPlan returns the plan for inputs of the given shapes. The shape rule must have accepted them.
func newPlan(at attributes, data, indices, updates ir.Shape) (*plan, error) {
	last := len(indices) - 1
	k := indices[last]
	if last == 0 && k == len(data) && updates.Elements() != 1 {
		return nil, faults.Errorf("updates are %v; one tuple of %d indices into data %v needs one element", updates, k, data)
	}
	p := &plan{
		Scatter: gatherscatter.Scatter{
			Outer: 1, Length: data[:k].Elements(),
			Count: indices[:last].Elements(), N: data[k:].Elements(),
		},
		lengths: data[:k],
	}
	if k == 0 && (!at.replaceAll || p.N == 0) {
		p.Count = 0
	}
	return p, nil
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	k, err := newPlan(at, p.InputShape(dataPort), p.InputShape(indicesPort), p.InputShape(updatesPort))
	if err != nil {
		return nil, err
	}
	if p.Inputs[indicesPort].Type == ir.I32 {
		return prepareFor(p, k, at, func(r *ops.Run) []int32 { return ir.Data[int32](r.Inputs[indicesPort]) })
	}
	return prepareFor(p, k, at, func(r *ops.Run) []int64 { return ir.Data[int64](r.Inputs[indicesPort]) })
}

// prepareFor prepares the kernel for the indices that get returns.
func prepareFor[I int32 | int64](p *ops.Preparation, k *plan, at attributes, get func(*ops.Run) []I) (*ops.Prepared, error) {
	t := p.Inputs[dataPort].Type
	var s ops.Scratch
	if at.reduction == none && len(k.lengths) == 1 {
		// A tuple of one index is the index of a row.
		lo, hi := -int64(k.Length), int64(k.Length)-1
		check := func(r *ops.Run) error {
			return gatherscatter.Check(r, indicesPort, get(r), lo, hi)
		}
		return gatherscatter.ScatterKernel(p, k.Scatter, t, gatherscatter.Indices[I]{Check: check, Get: get}, &s), nil
	}
	flat := gatherscatter.Indices[int64]{Get: ops.AreaOf[int64](&s, k.Count).In}
	part := gatherscatter.FlattenPart(&gatherscatter.Tuples{
		Batch: 1, Count: k.Count, Length: k.Length, Lengths: k.lengths, Port: indicesPort,
	}, get, flat.Get)
	flat.Check = func(r *ops.Run) error { return r.For(k.Count, ops.Grain(1), part) }
	if at.reduction == none {
		return gatherscatter.ScatterKernel(p, k.Scatter, t, flat, &s), nil
	}
	return prepareReduction(p, k, at.reduction, t, flat, &s)
}
