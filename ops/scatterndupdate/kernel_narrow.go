package scatterndupdate

import (
	"math"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/minifloat"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/gatherscatter"
	"github.com/vinoir/vinoir/ops/internal/widened"
)

// codec converts elements of a narrow type, starting at element at, to float32 and back.
type codec struct {
	load  func(dst []float32, t *ir.Tensor, at int)
	store func(t *ir.Tensor, at int, src []float32)
}

// codecOf returns the codec of a floating-point type of 16 bits or less.
func codecOf(t ir.ElementType) codec {
	switch t {
	case ir.F16, ir.BF16:
		c := widened.Find(widened.Halves, t)
		return codec{
			func(dst []float32, t *ir.Tensor, at int) { c.Load(nil, cast.Memory(dst), t, at) },
			func(t *ir.Tensor, at int, src []float32) { c.Store(nil, t, at, cast.Memory(src)) },
		}
	case ir.F8E4M3:
		return byteCodec(minifloat.F8E4M3ToF32, minifloat.F32ToF8E4M3)
	case ir.F8E5M2:
		return byteCodec(minifloat.F8E5M2ToF32, minifloat.F32ToF8E5M2)
	case ir.F8E8M0:
		return byteCodec(minifloat.F8E8M0ToF32, minifloat.F32ToF8E8M0)
	case ir.NF4:
		return packedCodec(minifloat.NF4ToF32, minifloat.F32ToNF4)
	}
	return packedCodec(minifloat.F4E2M1ToF32, minifloat.F32ToF4E2M1)
}

// byteCodec returns the codec of a type of 8 bits.
func byteCodec(widen func(uint8) float32, narrow func(float32) uint8) codec {
	return codec{
		func(dst []float32, t *ir.Tensor, at int) {
			for i, c := range t.Bytes()[at : at+len(dst)] {
				dst[i] = widen(c)
			}
		},
		func(t *ir.Tensor, at int, src []float32) {
			dst := t.Bytes()[at : at+len(src)]
			for i, f := range src {
				dst[i] = narrow(f)
			}
		},
	}
}

// packedCodec returns the codec of a type of less than 8 bits.
func packedCodec(widen func(uint8) float32, narrow func(float32) uint8) codec {
	return codec{
		func(dst []float32, t *ir.Tensor, at int) {
			for i := range dst {
				dst[i] = widen(t.Packed(at + i))
			}
		},
		func(t *ir.Tensor, at int, src []float32) {
			for i, f := range src {
				t.SetPacked(at+i, narrow(f))
			}
		},
	}
}

// narrow is a reduction in float32 that rounds each element once. The updates of a row form a
// chain in their order: heads[row] is the position of the first update, and next[j] that of the
// update after j; -1 means none.
type narrow struct {
	*plan
	codec
	f           combine[float32]
	at          gatherscatter.Indices[int64]
	heads, next ops.Area[int32]
}

// blockElements is the number of elements of a row that are combined at a time.
const blockElements = 256

// reduceNarrow prepares the kernel for floating-point types of 16 bits or less. s has the area of
// the indices.
func reduceNarrow(p *ops.Preparation, k *plan, red reduction, t ir.ElementType, at gatherscatter.Indices[int64], s *ops.Scratch) (*ops.Prepared, error) {
	if k.Count > math.MaxInt32 {
		return nil, faults.Errorf("%d updates are more than can be ordered", k.Count)
	}
	n := &narrow{plan: k, codec: codecOf(t), f: single(red, k.N), at: at}
	n.heads, n.next = ops.AreaOf[int32](s, k.Length), ops.AreaOf[int32](s, k.Count)
	threads := p.Threads
	if t.Size() == 0 {
		threads = 1 // neighbouring elements share bytes
	}
	items, grain := k.Plan(k.N*max(t.Size(), 1), threads, false)
	if t.Size() == 0 {
		grain = items
	}
	return &ops.Prepared{ScratchBytes: s.Bytes(), Kernel: func(r *ops.Run) error {
		if err := at.Check(r); err != nil || r.Outputs[0].Len() == 0 {
			return err
		}
		if t.Size() == 0 {
			parallel.Copy(r.Stop, r.Outputs[0].Bytes(), r.Inputs[dataPort].Bytes())
		}
		n.chain(r)
		return r.For(items, grain, n.part)
	}}, nil
}

// chain builds the chains of a run. It ends early if r must stop.
func (n *narrow) chain(r *ops.Run) {
	heads, next := n.heads.In(r), n.next.In(r)
	meter := r.Stop.Meter()
	for i := range heads {
		if meter.Spent(1) {
			return
		}
		heads[i] = -1
	}
	at := n.at.Get(r)
	for j := len(at) - 1; j >= 0; j-- {
		if meter.Spent(4) {
			return
		}
		next[j] = heads[at[j]]
		heads[at[j]] = int32(j)
	}
}

// part computes items lo to hi-1.
func (n *narrow) part(r *ops.Run, lo, hi int) error {
	heads, next := n.heads.In(r), n.next.In(r)
	out, data, updates := r.Outputs[0], r.Inputs[dataPort], r.Inputs[updatesPort]
	size := out.ElementType().Size() * n.N
	var x, y [blockElements]float32
	zero, meter := [1]int64{}, r.Stop.Meter()
	for i := lo; i < hi; i++ {
		_, first, last := n.Item(i)
		parallel.Copy(r.Stop, out.Bytes()[first*size:last*size], data.Bytes()[first*size:])
		for row := first; row < last; row++ {
			if meter.Spent(1) {
				return nil
			}
			if heads[row] < 0 {
				continue
			}
			for e := 0; e < n.N; e += blockElements {
				m := min(n.N-e, blockElements)
				n.load(x[:m], out, row*n.N+e)
				for j := heads[row]; j >= 0; j = next[j] {
					if meter.Spent(2 * m) {
						return nil
					}
					n.load(y[:m], updates, int(j)*n.N+e)
					n.f(x[:m], y[:m], m, zero[:], 0, 1)
				}
				n.store(out, row*n.N+e, x[:m])
			}
		}
	}
	return nil
}
