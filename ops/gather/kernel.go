package gather

import (
	"errors"
	"fmt"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/rows"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// geometry is data as [batch, outer, length] rows of inner elements, indices as
// [batch, count], and the output as [batch, outer, count] rows of inner elements.
type geometry struct {
	batch, outer, length, count, inner int
	negative                           bool // negative indices count from the back
}

// rows returns the number of rows of the output.
func (g *geometry) rows() int { return g.batch * g.outer * g.count }

// newGeometry returns the geometry for shapes and an axis counted from the front.
func newGeometry(data, indices ir.Shape, axis, batch int) geometry {
	return geometry{
		batch: data[:batch].Elements(), outer: data[batch:axis].Elements(), length: data[axis],
		count: indices[batch:].Elements(), inner: data[axis+1:].Elements(),
	}
}

// layerGeometry returns the geometry of a layer with inputs of static shapes and
// a known axis, for which the shape rule has held.
func layerGeometry(at attributes, inputs []ir.Fact) (geometry, error) {
	data, err := inputs[0].Shape.Static()
	if err != nil {
		return geometry{}, err
	}
	indices, err := inputs[1].Shape.Static()
	if err != nil {
		return geometry{}, err
	}
	axis, known, err := axisOf(&inputs[2], inputs[0].Shape)
	if err != nil {
		return geometry{}, err
	}
	if !known {
		return geometry{}, errors.New("the value of axis is not known")
	}
	batch := int(at.batchDims)
	if batch < 0 {
		batch += len(indices)
	}
	g := newGeometry(data, indices, int(axis), batch)
	g.negative = at.version >= 8
	return g, nil
}

func prepare(p *ops.Preparation) (ops.Kernel, error) {
	at := p.Attributes.(attributes)
	// The shapes of this run may differ where those that the model was read with
	// still fitted.
	in := ir.Inference{Attributes: at, Inputs: p.Inputs, Outputs: make([]ir.Fact, 1)}
	if err := infer(&in); err != nil {
		return nil, err
	}
	g, err := layerGeometry(at, p.Inputs)
	if err != nil {
		return nil, err
	}
	l := rows.Of(p.Inputs[0].Type, g.inner)
	g.inner = l.N
	switch t := p.Inputs[1].Type; {
	case t == ir.I32:
		return prepareFor(g, l, func(r *ops.Run) []int32 { return ir.Data[int32](r.Inputs[1]) }), nil
	case t == ir.I64:
		return prepareFor(g, l, func(r *ops.Run) []int64 { return ir.Data[int64](r.Inputs[1]) }), nil
	case !t.IsIntegral():
		return nil, fmt.Errorf("indices are %v, not of an integer type", t)
	}
	if p.ScratchBytes, err = rows.WideBytes(g.batch * g.count); err != nil {
		return nil, err
	}
	kernel := prepareFor(g, l, func(r *ops.Run) []int64 { return rows.Cast[int64](r.Scratch) })
	return func(r *ops.Run) error {
		rows.Widen(rows.Cast[int64](r.Scratch), r.Inputs[1])
		return kernel(r)
	}, nil
}

// prepareFor picks the kernel by the units that rows are moved in.
func prepareFor[I index.Integer](g geometry, l rows.Layout, indices func(*ops.Run) []I) ops.Kernel {
	switch l.Kind {
	case rows.Strings:
		return layer(g, l, indices, (*ir.Tensor).Strings)
	case rows.U8:
		return layer(g, l, indices, (*ir.Tensor).Bytes)
	case rows.U16:
		return layer(g, l, indices, rows.Elements[uint16])
	case rows.U32:
		return layer(g, l, indices, rows.Elements[uint32])
	case rows.U64:
		return layer(g, l, indices, rows.Elements[uint64])
	case rows.U128:
		return layer(g, l, indices, rows.Elements[rows.Uint128])
	}
	return func(r *ops.Run) error {
		takePacked(r.Outputs[0], r.Inputs[0], indices(r), &g)
		return nil
	}
}

// layer returns the kernel for units of type T.
func layer[T any, I index.Integer](g geometry, l rows.Layout, indices func(*ops.Run) []I, elements func(*ir.Tensor) []T) ops.Kernel {
	part := func(r *ops.Run, lo, hi int) error {
		take(elements(r.Outputs[0]), elements(r.Inputs[0]), indices(r), &g, lo, hi)
		return nil
	}
	bytes := g
	bytes.inner = l.RowBytes()
	partBytes := func(r *ops.Run, lo, hi int) error {
		take(r.Outputs[0].Bytes(), r.Inputs[0].Bytes(), indices(r), &bytes, lo, hi)
		return nil
	}
	n, grain := g.rows(), rows.Grain(l.RowBytes())
	return func(r *ops.Run) error {
		if l.Kind.Aligned(r.Inputs[0], r.Outputs[0]) {
			return r.For(n, grain, part)
		}
		return r.For(n, grain, partBytes)
	}
}

// take computes rows lo to hi-1 of the output.
func take[T any, I index.Integer](out, data []T, indices []I, g *geometry, lo, hi int) {
	slab := g.length * g.inner
	if slab == 0 {
		clear(out[lo*g.inner : hi*g.inner])
		return
	}
	for lo < hi {
		o, j := lo/g.count, lo%g.count
		n := min(hi-lo, g.count-j)
		from := o/g.outer*g.count + j
		rows.Take(out[lo*g.inner:], data[o*slab:(o+1)*slab], g.inner, indices[from:from+n], g.negative)
		lo += n
	}
}

// takePacked is take for elements of less than a byte. It runs on one thread, as
// neighbours share bytes.
func takePacked[I index.Integer](out, data *ir.Tensor, indices []I, g *geometry) {
	clear(out.Bytes()) // the bits behind the last element too
	for i := range g.rows() {
		o, j := i/g.count, i%g.count
		at := index.Resolve(indices[o/g.outer*g.count+j], g.length, g.negative)
		if at < 0 {
			continue
		}
		from := (o*g.length + at) * g.inner
		for k := range g.inner {
			out.SetPacked(i*g.inner+k, data.Packed(from+k))
		}
	}
}
