package gatherscatter

import (
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Indices provides the indices of a kernel.
type Indices[I index.Integer] struct {
	// Check returns the error of the first index that is out of range. It is called once before
	// anything is written, and may compute what Get returns. nil means that all indices are
	// valid.
	Check func(*ops.Run) error
	Get   func(*ops.Run) []I
}

// The input ports of the scatter families.
const (
	dataPort    = 0
	updatesPort = 2
)

// ScatterKernel returns the kernel that computes s from inputs 0, data, and 2, updates. They
// have element type t. scratch has the areas that indices uses.
func ScatterKernel[I index.Integer](p *ops.Preparation, s Scatter, t ir.ElementType, indices Indices[I], scratch *ops.Scratch) *ops.Prepared {
	k := &scatterKernel[I]{Scatter: s, layout: NewLayout(t, s.N), indices: indices}
	if k.layout.Kind.Size() == 0 {
		return &ops.Prepared{Kernel: k.singly, ScratchBytes: scratch.Bytes()}
	}
	k.items, k.grain = k.Plan(k.layout.RowBytes(), p.Threads, true)
	if k.Merge {
		k.lastUpdates = ops.AreaOf[int32](scratch, k.Length)
	}
	k.aligned, k.unaligned = k.part(moverOf[I](k.layout)), k.part(mover[I]{size: k.layout.RowBytes()})
	return &ops.Prepared{Kernel: k.run, ScratchBytes: scratch.Bytes()}
}

type scatterKernel[I index.Integer] struct {
	Scatter
	layout             Layout
	indices            Indices[I]
	items, grain       int
	lastUpdates        ops.Area[int32]
	aligned, unaligned ops.Part // for memory that is aligned for the units of layout, and any other
}

func (k *scatterKernel[I]) run(r *ops.Run) error {
	if err := k.check(r); err != nil || r.Outputs[0].Len() == 0 {
		return err
	}
	if k.Merge {
		LastUpdates(r.Stop, k.lastUpdates.In(r), k.indices.Get(r))
	}
	if k.layout.Kind.Aligned(r.Outputs[0], r.Inputs[dataPort], r.Inputs[updatesPort]) {
		return r.For(k.items, k.grain, k.aligned)
	}
	return r.For(k.items, k.grain, k.unaligned)
}

// part returns the part of the kernel that moves rows by m.
func (k *scatterKernel[I]) part(m mover[I]) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		dst, data, updates := r.Outputs[0].Bytes(), r.Inputs[dataPort].Bytes(), r.Inputs[updatesPort].Bytes()
		if k.Merge {
			mergeItems(r.Stop, &k.Scatter, m.size, dst, data, updates, k.lastUpdates.In(r), lo, hi)
		} else {
			scatterItems(r.Stop, &k.Scatter, m, dst, data, updates, k.indices.Get(r), lo, hi)
		}
		return nil
	}
}

func (k *scatterKernel[I]) check(r *ops.Run) error {
	if k.indices.Check == nil {
		return nil
	}
	return k.indices.Check(r)
}

// singly is the kernel for strings and elements of less than a byte. It runs on one thread because
// neighbouring elements share bytes.
func (k *scatterKernel[I]) singly(r *ops.Run) error {
	if err := k.check(r); err != nil || r.Outputs[0].Len() == 0 {
		return err
	}
	out, updates := r.Outputs[0], r.Inputs[updatesPort]
	r.Copy(out, r.Inputs[dataPort])
	meter := r.Stop.Meter()
	for o := range k.Outer {
		for j, v := range k.indices.Get(r) {
			if meter.Spent(8 * (k.N + 1)) {
				return nil
			}
			copyRow(out, updates, o*k.Length+index.Resolve(v, k.Length, true), o*k.Count+j, k.N)
		}
	}
	return nil
}
