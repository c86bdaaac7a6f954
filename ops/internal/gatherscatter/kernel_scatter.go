package gatherscatter

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/index"
	"github.com/vinoir/vinoir/internal/parallel"
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
// have element type t, and N counts elements here, not units. The first scratchBytes bytes of
// the scratch memory are reserved for indices.
func ScatterKernel[I index.Integer](p *ops.Preparation, s Scatter, t ir.ElementType, indices Indices[I], scratchBytes int) *ops.Prepared {
	k := &scatterKernel[I]{Scatter: s, layout: NewLayout(t, s.N), indices: indices, lastUpdatesAt: scratchBytes}
	k.N = k.layout.N
	k.items, k.grain = k.Plan(k.layout.RowBytes(), p.Threads, true)
	if k.Merge {
		scratchBytes += 4 * k.Length
	}
	return &ops.Prepared{Kernel: k.kernel(), ScratchBytes: scratchBytes}
}

// kernel returns the kernel for the units of the layout.
func (k *scatterKernel[I]) kernel() ops.Kernel {
	switch k.layout.Kind {
	case Strings:
		return scatterOf(k, (*ir.Tensor).Strings)
	case U8:
		return scatterOf(k, (*ir.Tensor).Bytes)
	case U16:
		return scatterOf(k, Elements[uint16])
	case U32:
		return scatterOf(k, Elements[uint32])
	case U64:
		return scatterOf(k, Elements[uint64])
	case U96:
		return scatterOf(k, Elements[Uint96])
	case U128:
		return scatterOf(k, Elements[Uint128])
	}
	return k.packed
}

type scatterKernel[I index.Integer] struct {
	Scatter
	layout        Layout
	indices       Indices[I]
	items, grain  int
	lastUpdatesAt int // offset in the scratch memory
}

// scatterOf returns the kernel for units of type T.
func scatterOf[T any, I index.Integer](k *scatterKernel[I], elements func(*ir.Tensor) []T) ops.Kernel {
	aligned := scatterPart(k, &k.Scatter, elements)
	bytes := k.Scatter
	bytes.N = k.layout.RowBytes()
	unaligned := scatterPart(k, &bytes, (*ir.Tensor).Bytes)
	return func(r *ops.Run) error {
		if err := k.check(r); err != nil || r.Outputs[0].Len() == 0 {
			return err
		}
		if k.Merge {
			LastUpdates(r.Stop, k.lastUpdates(r), k.indices.Get(r))
		}
		if k.layout.Kind.Aligned(r.Outputs[0], r.Inputs[dataPort], r.Inputs[updatesPort]) {
			return r.For(k.items, k.grain, aligned)
		}
		return r.For(k.items, k.grain, unaligned)
	}
}

// scatterPart returns the part of the kernel that computes s. elements returns the memory of a
// tensor in units of s.
func scatterPart[T any, I index.Integer](k *scatterKernel[I], s *Scatter, elements func(*ir.Tensor) []T) ops.Part {
	if s.Merge {
		return func(r *ops.Run, lo, hi int) error {
			MergeItems(r.Stop, s, elements(r.Outputs[0]), elements(r.Inputs[dataPort]), elements(r.Inputs[updatesPort]), k.lastUpdates(r), lo, hi)
			return nil
		}
	}
	return func(r *ops.Run, lo, hi int) error {
		ScatterItems(r.Stop, s, elements(r.Outputs[0]), elements(r.Inputs[dataPort]), elements(r.Inputs[updatesPort]), k.indices.Get(r), lo, hi)
		return nil
	}
}

func (k *scatterKernel[I]) check(r *ops.Run) error {
	if k.indices.Check == nil {
		return nil
	}
	return k.indices.Check(r)
}

func (k *scatterKernel[I]) lastUpdates(r *ops.Run) []int32 {
	return cast.Bytes[int32](r.Scratch[k.lastUpdatesAt:])[:k.Length]
}

// packed is the kernel for elements of less than a byte. It runs on one thread because
// neighbouring elements share bytes.
func (k *scatterKernel[I]) packed(r *ops.Run) error {
	if err := k.check(r); err != nil || r.Outputs[0].Len() == 0 {
		return err
	}
	out, updates := r.Outputs[0], r.Inputs[updatesPort]
	parallel.Copy(r.Stop, out.Bytes(), r.Inputs[dataPort].Bytes())
	meter := r.Stop.Meter()
	for o := range k.Outer {
		for j, v := range k.indices.Get(r) {
			if meter.Spent(8 * (k.N + 1)) {
				return nil
			}
			to, from := (o*k.Length+index.Resolve(v, k.Length, true))*k.N, (o*k.Count+j)*k.N
			for e := range k.N {
				out.SetPacked(to+e, updates.Packed(from+e))
			}
		}
	}
	return nil
}
