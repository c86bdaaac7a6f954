package memory

import (
	"sync"
	"unsafe"

	"github.com/vinoir/vinoir/internal/faults"
	sizes "github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
)

// Limits are those of plugin.Options, under the same names, none of them 0 except for
// MaxModelBytes.
type Limits struct {
	MaxTensorBytes int64
	MaxTotalBytes  int64
	MaxKeptBytes   int64
	MaxModelBytes  int64
	MaxPlans       int
	MaxPlanBytes   int64
}

// SizeOf returns the size of a tensor in bytes; for a string tensor, its number of elements. It
// returns an error if the size is beyond MaxTensorBytes.
func (l *Limits) SizeOf(t ir.ElementType, shape ir.Shape) (int, error) {
	size, err := ir.ByteSize(t, shape)
	if err != nil {
		return 0, err
	}
	if int64(size) > l.MaxTensorBytes {
		return 0, faults.Errorf("%v%v needs %d bytes, more than MaxTensorBytes, %d", t, shape, size, l.MaxTensorBytes)
	}
	if t == ir.String {
		return shape.Elements(), nil
	}
	return size, nil
}

// Compiled is the memory that a compiled model keeps. All plans of the model and of its bodies
// share it.
type Compiled struct {
	Limits Limits
	Kept   *Ledger
	once   *OnceStore // for Constants of the model
	// shared takes the place of once for constants whose sourceOf is in ofModel.
	shared  *OnceStore
	ofModel map[any]bool
	Buffers *Buffers // of deferred constants
	Caches  *Caches
	// InPlace and Arenas are for Limits.MaxModelBytes. Without it, InPlace is nil.
	InPlace *InPlace
	Arenas  Arenas
	// Discard is called with a Constant of the model that will not be read soon.
	Discard func(*ir.Tensor)
}

// NewCompiled returns the memory of a compilation. discard is Compiled.Discard.
func NewCompiled(discard func(*ir.Tensor), limits Limits) *Compiled {
	c := &Compiled{Limits: limits, Kept: newKept(limits.MaxKeptBytes), Discard: discard}
	c.once = NewOnceStore(c.Kept)
	c.Buffers = &Buffers{ledger: c.Kept}
	c.Caches = newCaches(c.Kept, limits.MaxPlanBytes)
	c.Kept.reclaim = c.Buffers.Drop
	if limits.MaxModelBytes > 0 {
		c.InPlace = &InPlace{model: make(map[*byte]bool)}
	}
	return c
}

// Share makes c keep results for the Constants of model, and those with the same elements, in the
// store of other. Both must be compiled for the same threads and precision, on which results can
// depend.
func (c *Compiled) Share(other *Compiled, model *ir.Model) {
	if c.shared = other.shared; c.shared == nil {
		c.shared = other.once
	}
	c.ofModel = make(map[any]bool)
	for _, layer := range model.Layers {
		if layer.Constant != nil {
			c.ofModel[sourceOf(layer.Constant)] = true
		}
	}
}

// storeFor returns the store for a Constant of the model, perhaps one that a pass has made, of
// which source is sourceOf.
func (c *Compiled) storeFor(source any) *OnceStore {
	if c.ofModel[source] {
		return c.shared
	}
	return c.once
}

// Weights returns the bytes of what the model keeps, and of the Constants that kernels read in
// place.
func (c *Compiled) Weights() int64 { return sizes.Sum(c.InPlace.Bytes(), c.Kept.Used()) }

// InPlace has the Constants that kernels read where the reader has put them. It is safe for
// concurrent use.
type InPlace struct {
	mu    sync.Mutex
	model map[*byte]bool // the data of the Constants of the model; true if a kernel reads them
	bytes int64          // of those that a kernel reads
}

// SetOfModel records that t is a Constant of the model. p may be nil.
func (p *InPlace) SetOfModel(t *ir.Tensor) {
	if p != nil && t.Deferred() == nil {
		p.model[unsafe.SliceData(t.Bytes())] = false
	}
}

// Add records that a kernel reads t.
func (p *InPlace) Add(t *ir.Tensor) {
	if t.Deferred() != nil {
		return
	}
	data := t.Bytes()
	p.mu.Lock()
	defer p.mu.Unlock()
	if read, ofModel := p.model[unsafe.SliceData(data)]; ofModel && !read {
		p.model[unsafe.SliceData(data)] = true
		p.bytes += int64(len(data))
	}
}

// Bytes returns the size of the Constants that kernels read.
func (p *InPlace) Bytes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes
}

// Arenas has the largest arena of the plans of each program: an InferRequest keeps one for the
// model and one for each body. It is safe for concurrent use.
type Arenas struct {
	mu    sync.Mutex
	bytes map[any]int64
	total int64
}

// With returns the bytes of all arenas if program has a plan with an arena of n bytes.
func (a *Arenas) With(program any, n int) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return sizes.Sum(a.total, max(int64(n)-a.bytes[program], 0))
}

// Add records that program has a plan with an arena of n bytes.
func (a *Arenas) Add(program any, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if more := int64(n) - a.bytes[program]; more > 0 {
		if a.bytes == nil {
			a.bytes = make(map[any]int64)
		}
		a.bytes[program] += more
		a.total += more
	}
}
