package gather

import (
	"errors"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// newGather returns the operation on rows of elements for inputs with the shapes data and indices
// and a known axis. The shape rule must have accepted them.
func newGather(at attributes, inputs []ir.Fact, data, indices ir.Shape) (gatherscatter.Gather, error) {
	axis, known, err := axisOf(&inputs[axisPort], inputs[dataPort].Shape)
	if err != nil {
		return gatherscatter.Gather{}, err
	}
	if !known {
		return gatherscatter.Gather{}, errors.New("the value of axis is not known")
	}
	batch := int(at.batchDims)
	if batch < 0 {
		batch += len(indices)
	}
	l := index.Along(data[batch:], int(axis)-batch)
	return gatherscatter.Gather{
		Batch: data[:batch].Elements(), Outer: l.Outer, Length: l.Length, Count: indices[batch:].Elements(), N: l.Inner,
		Negative: at.negative,
	}, nil
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	at := p.Attributes.(attributes)
	g, err := newGather(at, p.Inputs, p.InputShape(dataPort), p.InputShape(indicesPort))
	if err != nil {
		return nil, err
	}
	t := p.Inputs[dataPort].Type
	prepared := &ops.Prepared{MovedBytes: p.PickedBytes()}
	switch i := p.Inputs[indicesPort].Type; {
	case i == ir.I32:
		prepared.Kernel = kernelOf(at, &g, t, nil, func(r *ops.Run) []int32 { return ir.Data[int32](r.Inputs[indicesPort]) })
	case i == ir.I64:
		prepared.Kernel = kernelOf(at, &g, t, nil, func(r *ops.Run) []int64 { return ir.Data[int64](r.Inputs[indicesPort]) })
	case !i.IsIntegral():
		return nil, faults.Errorf("indices are %v, not of an integer type", i)
	default:
		var s ops.Scratch
		widen, wide := gatherscatter.Wide(&s, indicesPort, g.Batch*g.Count)
		prepared.Kernel, prepared.ScratchBytes = kernelOf(at, &g, t, widen, wide), s.Bytes()
		return prepared, nil
	}
	prepared.Refit = func(p *ops.Preparation) (bool, error) {
		next, err := newGather(at, p.Inputs, p.InputShape(dataPort), p.InputShape(indicesPort))
		if err != nil || next.N != g.N {
			return false, err
		}
		g, prepared.MovedBytes = next, p.PickedBytes()
		return true, nil
	}
	return prepared, nil
}

// kernelOf returns the kernel for the indices that get returns. If widen is not nil, it must be
// called before get.
func kernelOf[I index.Integer](at attributes, g *gatherscatter.Gather, t ir.ElementType, widen func(*ops.Run), get func(*ops.Run) []I) ops.Kernel {
	indices := gatherscatter.Indices[I]{Get: get}
	if at.strict || widen != nil {
		indices.Check = func(r *ops.Run) error {
			if widen != nil {
				widen(r)
			}
			if at.strict {
				lo := int64(0)
				if at.negative {
					lo = -int64(g.Length)
				}
				return gatherscatter.Check(r, indicesPort, get(r), lo, int64(g.Length)-1)
			}
			return nil
		}
	}
	return gatherscatter.GatherKernel(g, t, indices)
}
