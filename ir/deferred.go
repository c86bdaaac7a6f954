package ir

import (
	"fmt"
	"slices"
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
