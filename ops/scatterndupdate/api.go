package scatterndupdate

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Index lists the types of indices.
type Index interface{ int32 | int64 }

// Options holds the version and attributes of ScatterND and ScatterNDUpdate.
type Options struct {
	// Version is the version of the operator: 11, 13, 16 or 18 for ONNX; 3 or 15 for OpenVINO.
	// 0 means the newest version.
	Version int
	// Reduction is the reduction; "" means "none". ONNX also has "add" and "mul" from version
	// 16 on, and "max" and "min" from version 18 on. OpenVINO also has "sum", "sub", "prod",
	// "min" and "max" from version 15 on.
	Reduction string
}

// system holds the versions and the names of reductions in ONNX or OpenVINO.
type system struct {
	versions   []int // the newest version is the last
	bfloat16   int   // the first version with bfloat16
	replaceAll bool
	reductions []named
}

// named is a reduction with its name and the first version that has it.
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

// ONNX computes ScatterND and returns the output, which has the shape of data. All tensors are
// contiguous in row-major order. The shape of updates is that of indices without the last axis,
// followed by that of data without the axes that a tuple indexes. A tuple of no indices refers
// to all of data. Without a reduction, if several updates have the same slice, the last one
// counts.
//
// Strings have no reductions, and complex numbers have no max and min. For booleans, add and
// max are or, and mul and min are and.
//
// # Errors
//
// If an axis has d elements and an index is outside of [-d,d-1], the error is an
// *ops.IndexError for the first such index in row-major order. Other errors report an invalid
// option, shape or type.
func ONNX[T ir.Scalar, I Index](o Options, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) ([]T, error) {
	out := make([]T, len(data))
	if err := ONNXInto(o, out, data, dataShape, indices, indicesShape, updates, updatesShape); err != nil {
		return nil, err
	}
	return out, nil
}

// ONNXInto is ONNX with the output in out, which must have as many elements as data. out may be
// data itself; then only the slices that indices refer to are written. Otherwise it must not
// overlap the arguments. After an error nothing has been written.
func ONNXInto[T ir.Scalar, I Index](o Options, out, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) error {
	if n := len(indicesShape); n > 0 && indicesShape[n-1] == len(dataShape) && len(updatesShape) != n-1 {
		return faults.Errorf("updates are %v; data %v and indices %v need rank %d", updatesShape, dataShape, indicesShape, n-1)
	}
	return into(&onnx, o, out, data, dataShape, indices, indicesShape, updates, updatesShape)
}

// OpenVINO computes ScatterNDUpdate and returns the output. It has other reductions than ONNX,
// and a tuple of no indices changes nothing. If indices is one tuple with as many indices as
// data has axes, updates may have any shape with one element.
func OpenVINO[T ir.Scalar, I Index](o Options, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) ([]T, error) {
	out := make([]T, len(data))
	if err := OpenVINOInto(o, out, data, dataShape, indices, indicesShape, updates, updatesShape); err != nil {
		return nil, err
	}
	return out, nil
}

// OpenVINOInto is OpenVINO with the output in out. The conditions for out are those of
// ONNXInto.
func OpenVINOInto[T ir.Scalar, I Index](o Options, out, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) error {
	return into(&openVINO, o, out, data, dataShape, indices, indicesShape, updates, updatesShape)
}

// attributes returns the attributes for the options, or an error if they are invalid for
// elements of type t.
func (s *system) attributes(o Options, t ir.ElementType) (attributes, error) {
	version := o.Version
	if version == 0 {
		version = s.versions[len(s.versions)-1]
	}
	if !slices.Contains(s.versions, version) {
		return attributes{}, faults.Errorf("version %d is none of %v", version, s.versions)
	}
	if t == ir.BF16 && version < s.bfloat16 {
		return attributes{}, faults.Errorf("version %d has no bfloat16, which came with %d", version, s.bfloat16)
	}
	name := o.Reduction
	if name == "" {
		name = "none"
	}
	i := slices.IndexFunc(s.reductions, func(n named) bool { return n.name == name })
	switch {
	case i < 0:
		return attributes{}, faults.Errorf("reduction %q is not known", name)
	case version < s.reductions[i].since:
		return attributes{}, faults.Errorf("version %d has no reduction %q, which came with %d", version, name, s.reductions[i].since)
	}
	return attributes{reduction: s.reductions[i].is, replaceAll: s.replaceAll}, nil
}

// into computes the operation of a system.
func into[T ir.Scalar, I Index](s *system, o Options, out, data []T, dataShape []int, indices []I, indicesShape []int, updates []T, updatesShape []int) error {
	at, err := s.attributes(o, ir.ElementTypeOf[T]())
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
		return nil, faults.Errorf("indices: %w", err)
	}
	return tensor, nil
}
