package ir

import (
	"slices"
	"sync"

	"github.com/vinoir/vinoir/internal/faults"
)

// Deferred computes the elements of a tensor when they are first read. An example is a constant
// that is stored in a smaller type than the one it is used in. A Deferred is safe for
// concurrent use.
type Deferred interface {
	// Bytes returns the elements: as many bytes as the tensor has, aligned for its type.
	Bytes() []byte
}

// DeferredTensor returns a tensor with the elements that d computes. t must be a type of whole
// bytes.
func DeferredTensor(t ElementType, shape Shape, d Deferred) (*Tensor, error) {
	if _, err := ByteSize(t, shape); err != nil {
		return nil, err
	}
	if t.Size() == 0 {
		return nil, faults.Errorf("the elements of a tensor of %v cannot be deferred", t)
	}
	return &Tensor{elementType: t, shape: slices.Clone(shape), deferred: d}, nil
}

// Deferred returns what computes the elements of t; nil if they are in memory.
func (t *Tensor) Deferred() Deferred { return t.deferred }

// unaligned is a constant whose address in the .bin is not aligned for its elements. They are
// copied when they are first read.
type unaligned struct {
	raw  []byte
	once sync.Once
	data []byte
}

// UnalignedBytes returns a Deferred for elements in raw, whose address is not aligned for them.
// It copies them when they are first read.
func UnalignedBytes(raw []byte) Deferred { return &unaligned{raw: raw} }

func (u *unaligned) Bytes() []byte {
	u.once.Do(func() {
		u.data = AlignedBytes(len(u.raw))
		copy(u.data, u.raw)
	})
	return u.data
}

// Unaligned returns the bytes of a tensor that was made with UnalignedBytes, without copying
// them; nil for other tensors.
func (t *Tensor) Unaligned() []byte {
	if u, ok := t.deferred.(*unaligned); ok {
		return u.raw
	}
	return nil
}

// UnalignedTensor returns a tensor over data, whose address need not be aligned for the
// elements. It is for kernels that move bytes: Data must not be called on the result.
func UnalignedTensor(t ElementType, shape Shape, data []byte) (*Tensor, error) {
	size, err := ByteSize(t, shape)
	if err != nil {
		return nil, err
	}
	if t == String || len(data) < size {
		return nil, faults.Errorf("%v%v needs %d bytes, the data has %d", t, shape, size, len(data))
	}
	return &Tensor{elementType: t, shape: slices.Clone(shape), data: data[:size:size]}, nil
}
