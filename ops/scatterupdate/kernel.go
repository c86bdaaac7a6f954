package scatterupdate

import (
	"errors"

	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/rows"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// newScatter returns the rows of elements for shapes that fit each other and an
// axis counted from the front.
func newScatter(data, indices ir.Shape, axis int) rows.Scatter {
	return rows.Scatter{
		Outer: data[:axis].Elements(), Length: data[axis],
		Count: indices.Elements(), N: data[axis+1:].Elements(),
	}
}

// layerScatter is newScatter for inputs of static shapes and a known axis, for
// which the shape rule has held.
func layerScatter(inputs []ir.Fact) (rows.Scatter, error) {
	data, err := inputs[dataPort].Shape.Static()
	if err != nil {
		return rows.Scatter{}, err
	}
	indices, err := inputs[indicesPort].Shape.Static()
	if err != nil {
		return rows.Scatter{}, err
	}
	values, known := inputs[axisPort].Ints()
	if !known || len(values) == 0 {
		return rows.Scatter{}, errors.New("the value of axis is not known")
	}
	axis, err := index.Axis(values[0], len(data))
	if err != nil {
		return rows.Scatter{}, err
	}
	return newScatter(data, indices, axis), nil
}

func prepare(p *ops.Preparation) (ops.Kernel, error) {
	// The shapes of this run may differ where those that the model was read with
	// still fitted.
	if err := infer(&ir.Inference{Inputs: p.Inputs, Outputs: make([]ir.Fact, 1)}); err != nil {
		return nil, err
	}
	s, err := layerScatter(p.Inputs)
	if err != nil {
		return nil, err
	}
	k := &plan{Scatter: s, layout: rows.Of(p.Inputs[dataPort].Type, s.N)}
	k.N = k.layout.N
	k.items, k.grain = k.Plan(k.layout.RowBytes(), p.Threads)
	if k.Merge {
		p.ScratchBytes = 4 * k.Length
	}
	switch p.Inputs[indicesPort].Type {
	case ir.I32:
		return prepareFor(k, func(r *ops.Run) []int32 { return ir.Data[int32](r.Inputs[indicesPort]) }), nil
	case ir.I64:
		return prepareFor(k, func(r *ops.Run) []int64 { return ir.Data[int64](r.Inputs[indicesPort]) }), nil
	}
	if k.wide, err = rows.WideBytes(k.Count); err != nil {
		return nil, err
	}
	p.ScratchBytes += k.wide
	kernel := prepareFor(k, func(r *ops.Run) []int64 { return rows.Cast[int64](r.Scratch[:k.wide]) })
	return func(r *ops.Run) error {
		rows.Widen(rows.Cast[int64](r.Scratch[:k.wide]), r.Inputs[indicesPort])
		return kernel(r)
	}, nil
}

// plan is what the shapes, the types and the axis decide.
type plan struct {
	rows.Scatter
	layout       rows.Layout
	items, grain int
	// wide is the bytes that widened indices take at the start of the scratch
	// memory. The winners of rows.Merge stand behind them.
	wide int
}

func (k *plan) winners(r *ops.Run) []int32 { return rows.Cast[int32](r.Scratch[k.wide:])[:k.Length] }

// prepareFor picks the kernel by the units that rows are moved in.
func prepareFor[I index.Integer](k *plan, indices func(*ops.Run) []I) ops.Kernel {
	switch k.layout.Kind {
	case rows.Strings:
		return layer(k, indices, (*ir.Tensor).Strings)
	case rows.U8:
		return layer(k, indices, (*ir.Tensor).Bytes)
	case rows.U16:
		return layer(k, indices, rows.Elements[uint16])
	case rows.U32:
		return layer(k, indices, rows.Elements[uint32])
	case rows.U64:
		return layer(k, indices, rows.Elements[uint64])
	case rows.U128:
		return layer(k, indices, rows.Elements[rows.Uint128])
	}
	return func(r *ops.Run) error {
		ids := indices(r)
		if err := check(r.Inputs[indicesPort], ids, k.Length); err != nil {
			return err
		}
		updatePacked(r.Outputs[0], r.Inputs[dataPort], r.Inputs[updatesPort], ids, &k.Scatter)
		return nil
	}
}

// layer returns the kernel for units of type T.
func layer[T any, I index.Integer](k *plan, indices func(*ops.Run) []I, elements func(*ir.Tensor) []T) ops.Kernel {
	part := partOf(k, &k.Scatter, indices, elements)
	bytes := k.Scatter
	bytes.N = k.layout.RowBytes()
	unaligned := partOf(k, &bytes, indices, (*ir.Tensor).Bytes)
	return func(r *ops.Run) error {
		ids := indices(r)
		if err := check(r.Inputs[indicesPort], ids, k.Length); err != nil || k.N == 0 {
			return err
		}
		if k.Merge {
			rows.Winners(k.winners(r), ids)
		}
		if k.layout.Kind.Aligned(r.Outputs[0], r.Inputs[dataPort], r.Inputs[updatesPort]) {
			return r.For(k.items, k.grain, part)
		}
		return r.For(k.items, k.grain, unaligned)
	}
}

// partOf returns the part of the kernel that computes items of s.
func partOf[T any, I index.Integer](k *plan, s *rows.Scatter, indices func(*ops.Run) []I, elements func(*ir.Tensor) []T) ops.Part {
	if s.Merge {
		return func(r *ops.Run, lo, hi int) error {
			rows.Merge(s, elements(r.Outputs[0]), elements(r.Inputs[dataPort]), elements(r.Inputs[updatesPort]), k.winners(r), lo, hi)
			return nil
		}
	}
	return func(r *ops.Run, lo, hi int) error {
		rows.Run(s, elements(r.Outputs[0]), elements(r.Inputs[dataPort]), elements(r.Inputs[updatesPort]), indices(r), lo, hi)
		return nil
	}
}

// check returns the error of the first of indices, the values of tensor, that
// lies outside an axis of length elements.
func check[I index.Integer](tensor *ir.Tensor, indices []I, length int) error {
	if i := index.Check(indices, 0, int64(length)-1); i >= 0 {
		return rows.IndexError(tensor, i, 0, int64(length)-1)
	}
	return nil
}

// updatePacked is rows.Run for elements of less than a byte. It runs on one
// thread, as neighbours share bytes.
func updatePacked[I index.Integer](out, data, updates *ir.Tensor, indices []I, s *rows.Scatter) {
	copy(out.Bytes(), data.Bytes())
	for o := range s.Outer {
		for j, v := range indices {
			to, from := (o*s.Length+int(v))*s.N, (o*s.Count+j)*s.N
			for k := range s.N {
				out.SetPacked(to+k, updates.Packed(from+k))
			}
		}
	}
}
