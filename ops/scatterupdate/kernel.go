package scatterupdate

import (
	"errors"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
)

// newScatter returns the operation on rows of elements. The shapes must fit each other, and
// axis must not be negative.
func newScatter(data, indices ir.Shape, axis int) gatherscatter.Scatter {
	l := index.Along(data, axis)
	return gatherscatter.Scatter{Outer: l.Outer, Length: l.Length, Count: indices.Elements(), N: l.Inner}
}

// layerScatter is newScatter for inputs with a known axis. The shape rule must have accepted them.
func layerScatter(inputs []ir.Fact, data, indices ir.Shape) (gatherscatter.Scatter, error) {
	values, known := inputs[axisPort].Ints()
	if !known || len(values) == 0 {
		return gatherscatter.Scatter{}, errors.New("the value of axis is not known")
	}
	axis, err := index.Axis(values[0], len(data))
	if err != nil {
		return gatherscatter.Scatter{}, err
	}
	return newScatter(data, indices, axis), nil
}

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	s, err := layerScatter(p.Inputs, p.InputShape(dataPort), p.InputShape(indicesPort))
	if err != nil {
		return nil, err
	}
	t := p.Inputs[dataPort].Type
	var scratch ops.Scratch
	switch p.Inputs[indicesPort].Type {
	case ir.I32:
		return prepareFor(p, s, t, nil, func(r *ops.Run) []int32 { return ir.Data[int32](r.Inputs[indicesPort]) }, &scratch), nil
	case ir.I64:
		return prepareFor(p, s, t, nil, func(r *ops.Run) []int64 { return ir.Data[int64](r.Inputs[indicesPort]) }, &scratch), nil
	}
	widen, wide := gatherscatter.Wide(&scratch, indicesPort, s.Count)
	return prepareFor(p, s, t, widen, wide, &scratch), nil
}

// prepareFor prepares the kernel for the indices that get returns. If widen is not nil, it must
// be called before get. scratch has its area.
func prepareFor[I index.Integer](p *ops.Preparation, s gatherscatter.Scatter, t ir.ElementType, widen func(*ops.Run), get func(*ops.Run) []I, scratch *ops.Scratch) *ops.Prepared {
	hi := int64(s.Length) - 1
	check := func(r *ops.Run) error {
		if widen != nil {
			widen(r)
		}
		return gatherscatter.Check(r, indicesPort, get(r), 0, hi)
	}
	return gatherscatter.ScatterKernel(p, s, t, gatherscatter.Indices[I]{Check: check, Get: get}, scratch)
}
