package scatterndupdate

import (
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Index lists the types of indices.
type Index interface{ int32 | int64 }

// Options are the versions and attributes of ScatterND and ScatterNDUpdate.
type Options struct {
	// Version is the version of the operator: for ONNX 11, 13, 16 or 18; for
	// OpenVINO 3 or 15. 0 stands for the newest.
	Version int
	// Reduction is "none", which is also what "" stands for; for ONNX "add" or
	// "mul" from version 16 on, "max" or "min" from version 18 on; for OpenVINO
	// "sum", "sub", "prod", "min" or "max" from version 15 on.
	Reduction string
}

// system is what ONNX and OpenVINO call things.
type system struct {
	versions   []int // the newest last
	bfloat16   int   // the version that brought it
	replaceAll bool
	reductions []named
}

// named is a reduction with its name and the version that brought it.
type named struct {
	name  string
	since int
	is    reduction
}

var (
	onnx = system{[]int{11, 13, 16, 18}, 13, true, []named{
		{"none", 11, none}, {"add", 16, sum}, {"mul", 16, prod}, {"max", 18, maximum}, {"min", 18, minimum},
	}}
	openVINO = system{[]int{3, 15}, 3, false, []named{
		{"none", 3, none}, {"sum", 15, sum}, {"sub", 15, sub}, {"prod", 15, prod}, {"min", 15, minimum}, {"max", 15, maximum},
	}}
)

// ONNX computes ScatterND, and returns the output, which has the shape of data. All
// tensors are dense in row-major order. The shape of updates is that of indices
// without the last axis, and of data behind the axes that a tuple of indices counts
// along; a tuple of no indices names all of data. Of several updates for one slice
// without a reduction the last stays.
//
// Strings have no reductions, complex numbers no max and min; for booleans add and
// max are or, mul and min are and.
//
// # Errors
//
// An index outside [-d,d-1], for an axis of d elements, is an *ops.IndexError: the
// first in row-major order. Any other error says which of the options, the shapes
// and the types is not allowed.
func ONNX[T ops.Element, I Index](o Options, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) ([]T, error) {
	out := make([]T, len(data))
	if err := ONNXInto(o, out, data, dataShape, indices, indicesShape, updates, updatesShape); err != nil {
		return nil, err
	}
	return out, nil
}

// ONNXInto is ONNX into out, which has as many elements as data, and may be data
// itself: then only the slices that indices name are written. It shares no other
// memory with the arguments. After an error nothing has been written.
func ONNXInto[T ops.Element, I Index](o Options, out, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) error {
	if n := len(indicesShape); n > 0 && indicesShape[n-1] == len(dataShape) && len(updatesShape) != n-1 {
		return fmt.Errorf("updates are %v; data %v and indices %v need rank %d", updatesShape, dataShape, indicesShape, n-1)
	}
	return into(&onnx, o, out, data, dataShape, indices, indicesShape, updates, updatesShape)
}

// OpenVINO computes ScatterNDUpdate, and returns the output: as ONNX, but for the
// reductions, for a tuple of no indices, which changes nothing, and for one tuple
// of as many indices as data has axes, for which updates is of any shape with one
// element.
func OpenVINO[T ops.Element, I Index](o Options, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) ([]T, error) {
	out := make([]T, len(data))
	if err := OpenVINOInto(o, out, data, dataShape, indices, indicesShape, updates, updatesShape); err != nil {
		return nil, err
	}
	return out, nil
}

// OpenVINOInto is OpenVINO into out, which is as for ONNXInto.
func OpenVINOInto[T ops.Element, I Index](o Options, out, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) error {
	return into(&openVINO, o, out, data, dataShape, indices, indicesShape, updates, updatesShape)
}

// attributes checks the options for elements of type t.
func (s *system) attributes(o Options, t ir.ElementType) (attributes, error) {
	version := o.Version
	if version == 0 {
		version = s.versions[len(s.versions)-1]
	}
	if !slices.Contains(s.versions, version) {
		return attributes{}, fmt.Errorf("version %d is none of %v", version, s.versions)
	}
	if t == ir.BF16 && version < s.bfloat16 {
		return attributes{}, fmt.Errorf("version %d has no bfloat16, which came with %d", version, s.bfloat16)
	}
	name := o.Reduction
	if name == "" {
		name = "none"
	}
	i := slices.IndexFunc(s.reductions, func(n named) bool { return n.name == name })
	switch {
	case i < 0:
		return attributes{}, fmt.Errorf("reduction %q is not known", name)
	case version < s.reductions[i].since:
		return attributes{}, fmt.Errorf("version %d has no reduction %q, which came with %d", version, name, s.reductions[i].since)
	}
	return attributes{reduction: s.reductions[i].is, replaceAll: s.replaceAll}, nil
}

func into[T ops.Element, I Index](s *system, o Options, out, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) error {
	at, err := s.attributes(o, ops.ElementTypeOf[T]())
	if err != nil {
		return err
	}
	to, err := ops.TensorOf("out", out, dataShape)
	if err != nil {
		return err
	}
	inputs := make([]*ir.Tensor, 3)
	if inputs[dataPort], err = ops.TensorOf("data", data, dataShape); err != nil {
		return err
	}
	if inputs[indicesPort], err = tensorOfIndices(indices, indicesShape); err != nil {
		return err
	}
	if inputs[updatesPort], err = ops.TensorOf("updates", updates, updatesShape); err != nil {
		return err
	}
	return ops.Call(&Ops[0], at, ops.FactsOf(inputs), inputs, to)
}

func tensorOfIndices[I Index](indices []I, shape []int) (*ir.Tensor, error) {
	t := ir.I64
	if _, is32 := any(indices).([]int32); is32 {
		t = ir.I32
	}
	tensor, err := ir.TensorOf(t, shape, indices)
	if err != nil {
		return nil, fmt.Errorf("indices: %w", err)
	}
	return tensor, nil
}
