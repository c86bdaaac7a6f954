package plugin

import (
	"runtime"
	"slices"
	"sync"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/control"
)

// deferred is a large constant that is computed from other constants when a kernel that reads it is
// prepared, such as weights that are converted to f32. A kernel that packs its weights does not need
// them later, so that the memory is reused for the next deferred constant.
type deferred struct {
	size int
	// fill computes the elements from inputs; the old content of dst is arbitrary. It returns any error
	// if stop was requested.
	fill    func(dst []byte, stop parallel.Stop) error
	inputs  []*ir.Tensor
	raw     []byte // the same bytes at an unaligned address; may be nil
	buffers *buffers

	filling control.Lock // held while fill runs

	mu      sync.Mutex // guards the other fields
	data    []byte
	holders int
	kept    bool         // it was read outside of a hold, and stays in memory
	charged bool         // the memory is charged
	held    []*ir.Tensor // the inputs that are held until data is computed
}

func newDeferred(size int, buffers *buffers, inputs []*ir.Tensor, fill func([]byte, parallel.Stop) error) *deferred {
	return &deferred{size: size, inputs: inputs, fill: fill, buffers: buffers, filling: control.NewLock()}
}

// Bytes implements ir.Deferred.
func (d *deferred) Bytes() []byte { return d.within(nil) }

// within returns the elements. If stop is requested before they are computed, it panics with
// parallel.ErrStopped, because Bytes has no error; ops.Op.PrepareKernel returns it as an error.
func (d *deferred) within(stop parallel.Stop) []byte {
	if data := d.present(); data != nil {
		return data
	}
	if err := d.filling.Acquire(stop); err != nil {
		panic(err)
	}
	defer d.filling.Release()
	data := d.present()
	if data != nil {
		return data
	}
	data = d.buffers.take(d.size)
	if err := d.fill(data, stop); stop.Requested() {
		d.buffers.give(data)
		panic(parallel.ErrStopped)
	} else if err != nil {
		panic("BUG: a deferred constant: " + err.Error())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.data = data
	d.releaseInputs()
	return data
}

// present returns the elements if they are in memory, and nil otherwise.
func (d *deferred) present() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = d.kept || d.holders == 0
	if !d.charged { // inference of shapes has read a value outside of a hold
		d.buffers.memory.add(int64(d.size))
		d.charged = true
	}
	return d.data
}

// stoppable is a deferred constant that is computed only until a stop is requested.
type stoppable struct {
	*deferred
	stop parallel.Stop
}

// Bytes implements ir.Deferred.
func (s *stoppable) Bytes() []byte { return s.within(s.stop) }

// within returns t. If its elements are deferred, they are computed only until stop is requested, or until
// unbound is called with the result: a kernel can read its constants long after they were prepared.
func within(stop parallel.Stop, t *ir.Tensor) (*ir.Tensor, error) {
	d := deferredOf(t)
	if d == nil || stop == nil {
		return t, nil
	}
	return ir.DeferredTensor(t.ElementType(), t.Shape(), &stoppable{d, stop})
}

// unbound ends the effect of within on t, which within has returned.
func unbound(t *ir.Tensor) {
	if t == nil {
		return
	}
	if s, ok := t.Deferred().(*stoppable); ok {
		s.stop = nil
	}
}

// hold keeps the elements of t in memory from their first read until release, if they are deferred. It
// returns an error if there is not enough memory for them.
func hold(t *ir.Tensor) error {
	d := deferredOf(t)
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.charge(); err != nil {
		return err
	}
	d.holders++
	return nil
}

// charge charges the memory for the elements, and holds the inputs that they are computed from.
func (d *deferred) charge() error {
	if d.charged {
		return nil
	}
	if err := d.buffers.memory.charge(int64(d.size)); err != nil {
		return err
	}
	for _, input := range d.inputs {
		if err := hold(input); err != nil {
			d.releaseInputs()
			d.buffers.memory.add(-int64(d.size))
			return err
		}
		d.held = append(d.held, input)
	}
	d.charged = true
	return nil
}

// releaseInputs ends the hold of the inputs. The caller has locked d.mu.
func (d *deferred) releaseInputs() {
	for _, input := range d.held {
		release(input, false)
	}
	d.held = nil
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
	if d.holders > 0 || d.kept {
		return
	}
	d.releaseInputs()
	if d.data != nil {
		d.buffers.give(d.data)
		d.data = nil
	}
	d.buffers.memory.add(-int64(d.size))
	d.charged = false
}

// deferredOf returns the deferred constant of t; nil if t is nil or not deferred.
func deferredOf(t *ir.Tensor) *deferred {
	if t == nil {
		return nil
	}
	switch d := t.Deferred().(type) {
	case *deferred:
		return d
	case *stoppable:
		return d.deferred
	}
	return nil
}

// inMemory returns t with its elements in memory permanently, or parallel.ErrStopped.
func inMemory(t *ir.Tensor, stop parallel.Stop) (_ *ir.Tensor, err error) {
	if t.Deferred() == nil {
		return t, nil
	}
	if err := hold(t); err != nil {
		return nil, err
	}
	defer release(t, true)
	defer func() {
		if stop.Requested() && recover() != nil {
			err = parallel.ErrStopped
		}
	}()
	if t, err = within(stop, t); err != nil {
		return nil, err
	}
	return ir.TensorOfBytes(t.ElementType(), t.Shape(), t.Bytes())
}

// deferUnaligned defers the constants of model that are unaligned and must be copied to be read.
// Most kernels pack them or move them as bytes, so that the copy is temporary or not needed.
func (e *evaluator) deferUnaligned(model *ir.Model) error {
	for _, layer := range model.Order {
		t := layer.Constant
		if t == nil || t.Unaligned() == nil {
			continue
		}
		d := e.copies[t.Deferred()]
		if d == nil {
			raw := t.Unaligned()
			d = newDeferred(len(raw), &e.env.buffers, nil, func(dst []byte, stop parallel.Stop) error {
				parallel.Copy(stop, dst, raw)
				e.env.discard(t)
				return nil
			})
			d.raw = raw
			e.copies[t.Deferred()] = d
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
	memory  *account // counts the free buffers; their users charge those in use
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
	b.memory.add(-int64(len(f)))
	return f[:n]
}

// give returns memory that take has returned. It is kept if the limit allows that.
func (b *buffers) give(f []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f = f[:cap(f)]
	if b.memory.try(int64(len(f))) {
		b.free = append(b.free, f)
	}
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
			b.memory.add(-int64(len(f)))
		}
	}
	b.free = slices.DeleteFunc(b.free, match)
	if b.garbage >= collectBytes {
		b.garbage = 0
		runtime.GC()
	}
}
