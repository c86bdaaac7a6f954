package convert

import (
	"errors"

	"github.com/vinoir/vinoir/ir/edit"
)

// Value is a tensor of the model that is made, a List of tensors, or an optional without a value;
// an optional with a value is that value. The zero Value is absent: an input that a node leaves
// out.
type Value struct {
	source edit.Source
	list   *List
	// empty means that the value is an optional without a value.
	empty bool
	// spoiled means that the value could not be converted, and that nothing that reads it can be.
	spoiled bool
}

// Absent reports whether there is no such value.
func (v Value) Absent() bool { return v == Value{} }

// Empty returns an optional without a value.
func Empty() Value { return Value{empty: true} }

// IsEmpty reports whether v is an optional without a value.
func (v Value) IsEmpty() bool { return v.empty }

// IsTensor reports whether v is a tensor, and neither a list nor an optional without a value.
func (v Value) IsTensor() bool { return v.list == nil && !v.empty }

// List returns the list that v is, or nil if it is none.
func (v Value) List() *List { return v.list }

// checkTensor returns an error if v is no tensor.
func (v Value) checkTensor() error {
	switch {
	case v.list != nil:
		return errors.New("a sequence, expected a tensor")
	case v.empty:
		return errors.New("an optional without a value, expected a tensor")
	}
	return nil
}

// Spoiled reports whether the value could not be converted, so that nothing that reads it can be.
func (v Value) Spoiled() bool { return v.spoiled }

// Output returns output i of the layer that v is an output of.
func (v Value) Output(i int) Value { return Value{source: v.source.Out(i), spoiled: v.spoiled} }

// Outputs returns the first count outputs of the layer that v is an output of.
func (v Value) Outputs(count int) []Value {
	list := make([]Value, count)
	for i := range list {
		list[i] = v.Output(i)
	}
	return list
}
