package scatterelements

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// kernelOf returns the kernel that calls k for each tile of p, and its scratch memory in bytes.
func kernelOf[T any](c *call, p *plan, l locator, k tiler[T], elements func(*ir.Tensor) []T) (ops.Kernel, int, error) {
	p.divide(k.bytes(), c.threads)
	if !p.empty && p.far() {
		return nil, 0, fmt.Errorf("data %v has more than 2^32 elements along axis %d and behind it", c.data, c.axis)
	}
	if p.elements == 0 && !p.empty {
		return func(r *ops.Run) error {
			value, unsigned := l.value(indicesOf(r.Inputs[indicesInput]), 0)
			return p.outside(0, value, unsigned)
		}, 0, nil
	}
	s := &scatter[T]{plan: p, tiler: k, elements: elements, locator: l}
	s.slots = c.slots(p, k)
	if s.slots == 0 {
		return s.kernel(), 0, nil
	}
	t := p.at(0)
	count, _, _ := p.bands(&t)
	bytes, err := k.scratch(p, count*p.compactPitch())
	if err != nil || bytes > math.MaxInt/s.slots {
		return nil, 0, fmt.Errorf("reduction %v of %v%v needs more scratch memory than fits an int", c.reduction, c.element, c.data)
	}
	s.slotBytes = bytes
	return s.kernel(), s.slots * bytes, nil
}

// slots returns the number of parts that the tiles are divided into. Each part has its own
// scratch memory.
func (c *call) slots(p *plan, k interface{ packs(*plan) bool }) int {
	if p.tiles == 0 {
		return 0
	}
	t := p.at(0)
	count, length, _ := p.bands(&t)
	// The work of a tile is that of its indices, and of its elements if it copies them.
	work := (t.rows*t.columns + count*length/16) / 16 * p.tiles
	n := max(1, min(c.threads, p.tiles, work/(grainElements/16)))
	if n > 1 && !k.packs(p) {
		n = min(n*4, p.tiles) // more slots than threads balance the load if one thread is delayed
	}
	return n
}

// scatter is the state of a kernel.
type scatter[T any] struct {
	plan             *plan
	tiler            tiler[T]
	elements         func(*ir.Tensor) []T
	locator          locator
	slots, slotBytes int
}

// copyGrain is the number of bytes to copy that are worth another thread.
const copyGrain = 256 << 10

// kernel returns the kernel. If the tiles do not cover data, it first copies data to out.
func (s *scatter[T]) kernel() ops.Kernel {
	var zero T
	grain := copyGrain / int(unsafe.Sizeof(zero))
	copyPart, tilePart := ops.Part(s.copyPart), ops.Part(s.tilePart)
	return func(r *ops.Run) error {
		if out, data := s.elements(r.Outputs[0]), s.elements(r.Inputs[dataInput]); !s.plan.whole && !same(out, data) {
			if err := r.For(len(out), grain, copyPart); err != nil {
				return err
			}
		}
		return r.For(s.slots, 1, tilePart)
	}
}

// same reports whether a and b start at the same address.
func same[T any](a, b []T) bool { return unsafe.SliceData(a) == unsafe.SliceData(b) }

// copyPart copies elements lo to hi-1 of data to out.
func (s *scatter[T]) copyPart(r *ops.Run, lo, hi int) error {
	copy(s.elements(r.Outputs[0])[lo:hi], s.elements(r.Inputs[dataInput])[lo:hi])
	return nil
}

// tilePart computes the tiles of slots lo to hi-1.
func (s *scatter[T]) tilePart(r *ops.Run, lo, hi int) error {
	x := buffers[T]{
		out: s.elements(r.Outputs[0]), data: s.elements(r.Inputs[dataInput]), updates: s.elements(r.Inputs[updatesInput]),
		indices: indicesOf(r.Inputs[indicesInput]), locator: s.locator, stop: r.Stop,
	}
	x.fresh = s.plan.whole && !same(x.out, x.data)
	scratch := r.Scratch[lo*s.slotBytes : (lo+1)*s.slotBytes]
	for i := s.first(lo); i < s.first(hi); i++ {
		if err := s.tiler.tile(s.plan, x, scratch, i); err != nil {
			return err
		}
	}
	return nil
}

// first returns the first tile of a slot.
func (s *scatter[T]) first(slot int) int {
	q, m := s.plan.tiles/s.slots, s.plan.tiles%s.slots
	return slot*q + min(slot, m)
}

// packed returns the kernel for elements of less than a byte, which moves them one by one. It
// runs on one thread because neighbouring elements share bytes.
func (c *call) packed(p *plan, l locator) (ops.Kernel, int, error) {
	p.divide(1, 1)
	scratch := scratchOf[uint32](blockLength)
	if !p.empty && p.far() {
		return nil, 0, fmt.Errorf("data %v has more than 2^32 elements along axis %d and behind it", c.data, c.axis)
	}
	return func(r *ops.Run) error {
		out, data, updates := r.Outputs[0], r.Inputs[dataInput], r.Inputs[updatesInput]
		if !same(out.Bytes(), data.Bytes()) {
			parallel.Copy(r.Stop, out.Bytes(), data.Bytes())
		}
		x, rest := indicesOf(r.Inputs[indicesInput]), r.Scratch
		buffer := carve[uint32](&rest, blockLength)
		for i := range p.tiles {
			t := p.at(i)
			for w := p.walk(&t, &p.spread); w.next(); {
				if r.Stop.Requested() {
					return nil
				}
				at, err := w.locate(l, buffer, x)
				if err != nil {
					return err
				}
				for j, to := range at {
					from := w.updates + j/w.columns*p.updatesRow + j%w.columns
					out.SetPacked(t.data+int(to), updates.Packed(from))
				}
			}
		}
		return nil
	}, scratch, nil
}
