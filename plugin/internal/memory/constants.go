package memory

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin/internal/control"
)

// Deferred is a large constant that is computed from other constants when a kernel that reads it is
// prepared, such as weights that are converted to f32. A kernel that packs its weights does not
// need them later, so that the memory is reused for the next deferred constant.
//
// Whoever reads it calls Acquire, reads it between BeginRead and EndRead, and calls Release.
type Deferred struct {
	size int
	// compute sets dst to the elements; its old content is arbitrary. It returns any error if stop
	// was requested.
	compute func(dst []byte, stop parallel.Stop) error
	inputs  []*ir.Tensor // that compute reads
	// unaligned has the same bytes at an unaligned address; it may be nil.
	unaligned []byte
	buffers   *Buffers

	computing control.Lock // held while compute runs

	mu       sync.Mutex // guards the other fields
	elements []byte     // nil unless they are in memory
	readers  int        // calls of Acquire without their Release
	stays    bool       // the elements are not given back once they are in memory
	counted  bool       // their memory is in the ledger
	acquired []*ir.Tensor
}

// NewDeferred returns a constant of size bytes that compute computes from inputs. compute sets dst,
// whose old content is arbitrary, and returns any error if stop was requested.
func NewDeferred(size int, buffers *Buffers, inputs []*ir.Tensor, compute func(dst []byte, stop parallel.Stop) error) *Deferred {
	return &Deferred{size: size, inputs: slices.Clone(inputs), compute: compute, buffers: buffers, computing: control.NewLock()}
}

// NewAlignedCopy returns a constant that is a copy of bytes at an unaligned address. copied is
// called after each copy.
func NewAlignedCopy(unaligned []byte, buffers *Buffers, copied func()) *Deferred {
	d := NewDeferred(len(unaligned), buffers, nil, func(dst []byte, stop parallel.Stop) error {
		parallel.Copy(stop, dst, unaligned)
		copied()
		return nil
	})
	d.unaligned = unaligned
	return d
}

// Bytes implements ir.Deferred, for those that cannot be stopped.
func (d *Deferred) Bytes() []byte {
	elements, err := d.read(nil)
	if err != nil {
		panic("BUG: a deferred constant: " + err.Error())
	}
	return elements
}

// read returns the elements, or parallel.ErrStopped if stop is requested before they are computed.
func (d *Deferred) read(stop parallel.Stop) ([]byte, error) {
	if elements := d.present(); elements != nil {
		return elements, nil
	}
	if err := d.computing.Acquire(stop); err != nil {
		return nil, err
	}
	defer d.computing.Release()
	if elements := d.present(); elements != nil {
		return elements, nil
	}
	elements := d.buffers.take(d.size)
	err := d.compute(elements, stop)
	if stop.Requested() {
		err = parallel.ErrStopped
	}
	if err != nil {
		d.buffers.give(elements)
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.elements = elements
	d.releaseInputs()
	return elements, nil
}

// present returns the elements if they are in memory, and nil otherwise.
func (d *Deferred) present() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stays = d.stays || d.readers == 0
	if !d.counted { // inference of shapes reads values without Acquire
		d.buffers.ledger.Add(int64(d.size))
		d.counted = true
	}
	return d.elements
}

// reading is a Deferred between BeginRead and EndRead.
type reading struct {
	*Deferred
	mu   sync.Mutex
	stop parallel.Stop // nil after EndRead
	err  error
}

// Bytes implements ir.Deferred. If the elements cannot be computed, it returns zeros, and EndRead
// the error.
func (r *reading) Bytes() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop == nil {
		return r.Deferred.Bytes()
	}
	elements, err := r.read(r.stop)
	if err != nil {
		r.err = err
		return ir.AlignedBytes(r.size)
	}
	return elements
}

// BeginRead returns t for a kernel that is prepared, or for one that runs. If the elements of t are
// deferred, they are computed only until stop is requested: then the kernel reads zeros, and its
// result must not be used.
func BeginRead(t *ir.Tensor, stop parallel.Stop) (*ir.Tensor, error) {
	d := deferredOf(t)
	if d == nil || stop == nil {
		return t, nil
	}
	return ir.DeferredTensor(t.ElementType(), t.Shape(), &reading{Deferred: d, stop: stop})
}

// EndRead ends the effect of BeginRead on t, which BeginRead has returned: a kernel can read its
// constants long after it was prepared. It returns an error, parallel.ErrStopped or another, if
// zeros were read instead of the elements.
func EndRead(t *ir.Tensor) error {
	if t == nil {
		return nil
	}
	r, ok := t.Deferred().(*reading)
	if !ok {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop = nil
	return r.err
}

// Acquire makes the elements of t, if they are deferred, stay in memory from their first read until
// Release. It returns an error if there is not enough memory for them.
func Acquire(t *ir.Tensor) error {
	d := deferredOf(t)
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.count(); err != nil {
		return err
	}
	d.readers++
	return nil
}

// count charges the memory for the elements, and acquires the inputs that they are computed from.
func (d *Deferred) count() error {
	if d.counted {
		return nil
	}
	if err := d.buffers.ledger.Charge(int64(d.size)); err != nil {
		return err
	}
	for _, input := range d.inputs {
		if err := Acquire(input); err != nil {
			d.releaseInputs()
			d.buffers.ledger.Add(-int64(d.size))
			return err
		}
		d.acquired = append(d.acquired, input)
	}
	d.counted = true
	return nil
}

// releaseInputs releases the inputs. The caller has locked d.mu.
func (d *Deferred) releaseInputs() {
	for _, input := range d.acquired {
		Release(input, false)
	}
	d.acquired = nil
}

// Release ends what Acquire has begun. again means that the elements will be read again, and stay
// in memory.
func Release(t *ir.Tensor, again bool) {
	d := deferredOf(t)
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.readers--
	d.stays = d.stays || again
	if d.readers > 0 || d.stays {
		return
	}
	d.releaseInputs()
	if d.elements != nil {
		d.buffers.give(d.elements)
		d.elements = nil
	}
	d.buffers.ledger.Add(-int64(d.size))
	d.counted = false
}

// deferredOf returns the Deferred of t; nil if t is nil or has its elements in memory.
func deferredOf(t *ir.Tensor) *Deferred {
	if t == nil {
		return nil
	}
	switch d := t.Deferred().(type) {
	case *Deferred:
		return d
	case *reading:
		return d.Deferred
	}
	return nil
}

// InMemory returns t with its elements in memory for good, or parallel.ErrStopped.
func InMemory(t *ir.Tensor, stop parallel.Stop) (*ir.Tensor, error) {
	d := deferredOf(t)
	switch {
	case t.Deferred() == nil:
		return t, nil
	case d == nil:
		return ir.TensorOfBytes(t.ElementType(), t.Shape(), t.Bytes())
	}
	if err := Acquire(t); err != nil {
		return nil, err
	}
	defer Release(t, true)
	elements, err := d.read(stop)
	if err != nil {
		return nil, err
	}
	return ir.TensorOfBytes(t.ElementType(), t.Shape(), elements)
}

// IsDeferred reports whether the elements of t are those of a Deferred.
func IsDeferred(t *ir.Tensor) bool { return deferredOf(t) != nil }

// Unaligned returns the bytes that t is an aligned copy of, see NewAlignedCopy; nil if it is none.
func Unaligned(t *ir.Tensor) []byte {
	if d := deferredOf(t); d != nil {
		return d.unaligned
	}
	return nil
}

// sourceOf returns what is equal for constants whose elements come from the same place in a file or
// in memory: its address, also if the elements are an aligned copy, or else the Identity.
func sourceOf(t *ir.Tensor) any {
	if from := t.Unaligned(); from != nil {
		return unsafe.SliceData(from)
	}
	if from := Unaligned(t); from != nil {
		return unsafe.SliceData(from)
	}
	return Identity(t)
}

// Identity returns what is equal for constants with the same elements: their address, or what
// computes them.
func Identity(t *ir.Tensor) any {
	if d := deferredOf(t); d != nil {
		return d
	}
	if d := t.Deferred(); d != nil {
		return d
	}
	if t.ElementType() == ir.String { // which have no bytes
		return unsafe.SliceData(t.Strings())
	}
	return unsafe.SliceData(t.Bytes())
}
