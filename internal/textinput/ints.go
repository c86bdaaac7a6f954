// Package textinput has the inputs of models for texts: their names and types, and their memory.
package textinput

import (
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/ir"
)

// Ints is an input of integers, such as the ids of tokens. Its memory is used again by each run.
type Ints[T int32 | int64] struct {
	Tensor ir.Tensor
	Values []T // of Tensor
	shape  ir.Shape
}

// Resize makes i an input of the given shape, whose values are not defined.
func (i *Ints[T]) Resize(shape ...int) error {
	i.shape = append(i.shape[:0], shape...) // shape itself stays on the stack
	n := i.shape.Elements()
	i.Values = slices.Grow(i.Values[:0], n)[:n]
	return i.Tensor.Reset(ir.ElementTypeOf[T](), i.shape, cast.Memory(i.Values), nil)
}
