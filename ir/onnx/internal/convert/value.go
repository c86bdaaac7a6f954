package convert

import (
	"errors"

	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/onnx/internal/narrow"
)

// Value is a tensor of the model that is made, a List of tensors, or an optional without a value;
// an optional with a value is that value. The zero Value is absent: an input that a node leaves
// out.
//
// It is a pointer, because rules hand many of them around: with a struct of four words, the command
// was 332 KiB larger. Two Values of one tensor need not be equal.
type Value struct{ at *value }

// value is what a Value that is not absent points to.
type value struct {
	source edit.Source
	list   *List
	// empty means that the value is an optional without a value.
	empty bool
	// spoiled means that the value could not be converted, and that nothing that reads it can be.
	spoiled bool
	// narrow is the type in the file if OpenVINO does not have it: see DataType. It stays with the
	// elements in layers that do not change their type.
	narrow *narrow.Type
}

// Absent reports whether there is no such value.
func (v Value) Absent() bool { return v.at == nil }

// valueOf returns the value that an output of a layer is.
func valueOf(s edit.Source) Value { return Value{&value{source: s}} }

// source returns the output of a layer that v is; none if it is not a tensor.
func (v Value) source() edit.Source {
	if v.at == nil {
		return edit.Source{}
	}
	return v.at.source
}

// narrow returns the type of v in the file if OpenVINO does not have it, and else nil.
func (v Value) narrow() *narrow.Type {
	if v.at == nil {
		return nil
	}
	return v.at.narrow
}

// holding returns v as a value of type t in the file.
func (v Value) holding(t *narrow.Type) Value {
	if v.at == nil || v.at.narrow == t {
		return v
	}
	changed := *v.at
	changed.narrow = t
	return Value{&changed}
}

// Empty returns an optional without a value.
func Empty() Value { return Value{&value{empty: true}} }

// IsEmpty reports whether v is an optional without a value.
func (v Value) IsEmpty() bool { return v.at != nil && v.at.empty }

// IsTensor reports whether v is a tensor, and neither a list nor an optional without a value.
func (v Value) IsTensor() bool { return v.List() == nil && !v.IsEmpty() }

// List returns the list that v is, or nil if it is none.
func (v Value) List() *List {
	if v.at == nil {
		return nil
	}
	return v.at.list
}

// checkTensor returns an error if v is no tensor.
func (v Value) checkTensor() error {
	switch {
	case v.List() != nil:
		return errors.New("a sequence, expected a tensor")
	case v.IsEmpty():
		return errors.New("an optional without a value, expected a tensor")
	}
	return nil
}

// Spoiled reports whether the value could not be converted, so that nothing that reads it can be.
func (v Value) Spoiled() bool { return v.at != nil && v.at.spoiled }

// Output returns output i of the layer that v is an output of.
//
// It is not inlined: the code of the command would be 7 KiB larger.
//
//go:noinline
func (v Value) Output(i int) Value {
	if v.at == nil {
		return v
	}
	return Value{&value{source: v.source().Out(i), spoiled: v.Spoiled(), narrow: v.narrow()}}
}

// Outputs returns the first count outputs of the layer that v is an output of.
func (v Value) Outputs(count int) []Value {
	list := make([]Value, count)
	for i := range list {
		list[i] = v.Output(i)
	}
	return list
}
