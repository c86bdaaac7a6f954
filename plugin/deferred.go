package plugin

import (
	"runtime"
	"slices"
	"sync"

	"github.com/vinoir/vinoir/ir"
)

// deferred is a large constant that is computed from other constants when a kernel that reads it is
// prepared, such as weights that are converted to f32. A kernel that packs its weights does not need
// them later, so that the memory is reused for the next deferred constant.
type deferred struct {
	size    int
	fill    func(dst []byte) error // computes the elements; the old content of dst is arbitrary
	raw     []byte                 // the same bytes at an unaligned address; may be nil
	buffers *buffers

	mu      sync.Mutex
	data    []byte
	holders int
	kept    bool // it was read outside of a hold, and stays in memory
}

// Bytes implements ir.Deferred.
func (d *deferred) Bytes() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = d.kept || d.holders == 0
	if d.data == nil {
		dst := d.buffers.take(d.size)
		if err := d.fill(dst); err != nil {
			panic("BUG: a deferred constant: " + err.Error())
		}
		d.data = dst
	}
	return d.data
}

// hold keeps the elements of t in memory until release, if they are deferred.
func hold(t *ir.Tensor) {
	if d := deferredOf(t); d != nil {
		d.mu.Lock()
		d.holders++
		d.mu.Unlock()
	}
}

// release ends a hold. keep means that the elements will be read again.
func release(t *ir.Tensor, keep bool) {
	d := deferredOf(t)
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holders--
	d.kept = d.kept || keep
	if d.holders == 0 && !d.kept && d.data != nil {
		d.buffers.give(d.data)
		d.data = nil
	}
}

// deferredOf returns the deferred constant of t; nil if t is nil or not deferred.
func deferredOf(t *ir.Tensor) *deferred {
	if t == nil {
		return nil
	}
	d, _ := t.Deferred().(*deferred)
	return d
}

// inMemory returns t with its elements in memory permanently.
func inMemory(t *ir.Tensor) (*ir.Tensor, error) {
	if t.Deferred() == nil {
		return t, nil
	}
	return ir.TensorOfBytes(t.ElementType(), t.Shape(), t.Bytes())
}

// deferUnaligned defers the constants of model that are unaligned and must be copied to be read.
// Most kernels pack them or move them as bytes, so that the copy is temporary or not needed.
func (e *evaluator) deferUnaligned(model *ir.Model) error {
	made := map[ir.Deferred]*deferred{}
	for _, layer := range model.Order {
		t := layer.Constant
		if t == nil || t.Unaligned() == nil {
			continue
		}
		d := made[t.Deferred()]
		if d == nil {
			raw := t.Unaligned()
			d = &deferred{size: len(raw), raw: raw, buffers: &e.env.buffers, fill: func(dst []byte) error {
				copy(dst, raw)
				e.env.discard(t)
				return nil
			}}
			made[t.Deferred()] = d
		}
		var err error
		if layer.Constant, err = ir.DeferredTensor(t.ElementType(), t.Shape(), d); err != nil {
			return err
		}
	}
	return nil
}

// buffers keeps the memory of deferred constants for reuse. It works best if the largest are
// requested first.
type buffers struct {
	mu      sync.Mutex
	free    [][]byte
	garbage int // bytes that were dropped since the last collection
}

// take returns n bytes of the smallest buffer that has from n to four times n. If there is none, it
// allocates one, and drops the larger buffers, which will not be used again.
func (b *buffers) take(n int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	best := -1
	for i, f := range b.free {
		if len(f) >= n && len(f)/4 <= n && (best < 0 || len(f) < len(b.free[best])) {
			best = i
		}
	}
	if best < 0 {
		b.discard(func(f []byte) bool { return len(f)/4 > n })
		return ir.AlignedBytes(n)
	}
	f := b.free[best]
	b.free = slices.Delete(b.free, best, best+1)
	return f[:n]
}

// give returns memory that take has returned.
func (b *buffers) give(f []byte) {
	b.mu.Lock()
	b.free = append(b.free, f[:cap(f)])
	b.mu.Unlock()
}

// drop leaves all memory that is not in use to the garbage collector.
func (b *buffers) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.discard(func([]byte) bool { return true })
	b.free = nil
}

// collectBytes is the amount of garbage after which a collection is run, so that packed weights and
// the tensors of the first inference reuse the memory.
const collectBytes = 4 << 20

// discard drops the buffers for which match returns true.
func (b *buffers) discard(match func([]byte) bool) {
	for _, f := range b.free {
		if match(f) {
			b.garbage += len(f)
		}
	}
	b.free = slices.DeleteFunc(b.free, match)
	if b.garbage >= collectBytes {
		b.garbage = 0
		runtime.GC()
	}
}
