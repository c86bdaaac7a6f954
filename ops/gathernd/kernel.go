package gathernd

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/rows"
)

// plan is data as rows that tuples name by their place in row-major order, the
// rows of all of the batch in one.
type plan struct {
	rows.Gather
	lengths []int // of the axes that a tuple counts along
	batch   int   // each of which has Count/batch tuples
}

// newPlan returns the plan for inputs of static shapes, for which the shape rule
// has held.
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
	p := &plan{lengths: data[batch:inner], batch: data[:batch].Elements()}
	p.Gather = rows.Gather{
		Batch: 1, Outer: 1, Length: p.batch * data[batch:inner].Elements(),
		Count: indices[:last].Elements(), N: data[inner:].Elements(),
	}
	if data[:batch].Elements() == 0 || p.N == 0 && indices[last] == 0 {
		p.Count = 0
	}
	return p, nil
}

func prepare(p *ops.Preparation) (ops.Kernel, error) {
	at := p.Attributes.(attributes)
	// The shapes of this run may differ where those that the model was read with
	// still fitted.
	if err := infer(&ir.Inference{Attributes: at, Inputs: p.Inputs, Outputs: make([]ir.Fact, 1)}); err != nil {
		return nil, err
	}
	k, err := newPlan(at, p.Inputs)
	if err != nil {
		return nil, err
	}
	switch p.Inputs[indicesPort].Type {
	case ir.I32:
		return prepareFor(p, k, func(r *ops.Run) []int32 { return ir.Data[int32](r.Inputs[indicesPort]) })
	case ir.I64:
		return prepareFor(p, k, func(r *ops.Run) []int64 { return ir.Data[int64](r.Inputs[indicesPort]) })
	}
	n := k.Count * len(k.lengths)
	wide, err := rows.WideBytes(n)
	if err != nil {
		return nil, err
	}
	p.ScratchBytes = wide
	return prepareFor(p, k, func(r *ops.Run) []int64 {
		indices := rows.Cast[int64](r.Scratch[:wide])
		rows.Widen(indices, r.Inputs[indicesPort])
		return indices
	})
}

// prepareFor returns the kernel for the indices that get returns, which is called
// once a run.
func prepareFor[I index.Integer](p *ops.Preparation, k *plan, get func(*ops.Run) []I) (ops.Kernel, error) {
	bytes, err := rows.WideBytes(k.Count)
	if err != nil {
		return nil, err
	}
	at := p.ScratchBytes
	p.ScratchBytes += bytes
	flat := func(r *ops.Run) []int64 { return rows.Cast[int64](r.Scratch[at : at+bytes]) }
	check := func(r *ops.Run) error {
		if i := flatten(k, flat(r), get(r)); i >= 0 {
			n := int64(k.lengths[i%len(k.lengths)])
			return rows.IndexError(r.Inputs[indicesPort], i, -n, n-1)
		}
		return nil
	}
	return rows.GatherKernel(k.Gather, p.Inputs[dataPort].Type, rows.Indices[int64]{Check: check, Get: flat}), nil
}

// flatten sets flat to the rows that the tuples of indices name, and returns -1 or
// the position of the first index that is not allowed.
func flatten[I index.Integer](k *plan, flat []int64, indices []I) int {
	if i := rows.Flatten(flat, indices, k.lengths); i >= 0 || k.batch < 2 {
		return i
	}
	tuples, length := len(flat)/k.batch, k.Length/k.batch
	for b := 1; b < k.batch; b++ {
		for t := b * tuples; t < (b+1)*tuples; t++ {
			flat[t] += int64(b * length)
		}
	}
	return -1
}
