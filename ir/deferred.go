package ir

import (
	"fmt"
	"slices"
	"sync"
)

// Deferred computes the elements of a tensor when they are asked for: of a constant
// in the type that is computed in, made of the smaller one that the .bin holds. It is
// safe for concurrent use.
type Deferred interface {
	// Bytes returns as many bytes as the tensor has, aligned for its elements.
	Bytes() []byte
}

// DeferredTensor returns a tensor of the elements that d computes, of a type of whole
// bytes.
func DeferredTensor(t ElementType, shape Shape, d Deferred) (*Tensor, error) {
	if _, err := ByteSize(t, shape); err != nil {
		return nil, err
	}
	if t.Size() == 0 {
		return nil, fmt.Errorf("the elements of a tensor of %v cannot be deferred", t)
	}
	return &Tensor{elementType: t, shape: slices.Clone(shape), deferred: d}, nil
}

// Deferred returns what computes the elements of t, nil where they are in memory.
func (t *Tensor) Deferred() Deferred { return t.deferred }

// unaligned is a constant that stands in the .bin at an address that does not suit its
// elements. It is copied when they are asked for.
type unaligned struct {
	raw  []byte
	once sync.Once
	data []byte
}

// UnalignedBytes returns a Deferred of the elements in raw, whose address does not suit
// them. It copies them when they are first read.
func UnalignedBytes(raw []byte) Deferred { return &unaligned{raw: raw} }

func (u *unaligned) Bytes() []byte {
	u.once.Do(func() {
		u.data = AlignedBytes(len(u.raw))
		copy(u.data, u.raw)
	})
	return u.data
}

// Unaligned returns the memory of the elements of a large Constant that stands in the
// .bin at an address that does not suit them, so that Bytes has to make a copy; nil of
// another tensor.
func (t *Tensor) Unaligned() []byte {
	if u, ok := t.deferred.(*unaligned); ok {
		return u.raw
	}
	return nil
}

// UnalignedTensor returns a tensor over data, whose address need not suit the
// elements: for kernels that move bytes.
func UnalignedTensor(t ElementType, shape Shape, data []byte) (*Tensor, error) {
	size, err := ByteSize(t, shape)
	if err != nil {
		return nil, err
	}
	if t == String || len(data) < size {
		return nil, fmt.Errorf("%v%v needs %d bytes, the data has %d", t, shape, size, len(data))
	}
	return &Tensor{elementType: t, shape: slices.Clone(shape), data: data[:size:size]}, nil
}
