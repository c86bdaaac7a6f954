package onnxcases

import (
	"encoding/json"
	"path/filepath"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ir/onnx"
)

// rows returns the numbers of the maps in a sequence, in their order. It is an error if it has
// anything else.
func (f *value) rows() (*ir.Tensor, error) {
	var all []float32
	columns := 0
	for _, row := range f.Sequence {
		if len(row.Map) != 2 {
			return nil, errNoTensor
		}
		var numbers []float32
		if err := json.Unmarshal(row.Map[1], &numbers); err != nil {
			return nil, err
		}
		if columns = len(numbers); columns == 0 || len(all)%columns != 0 {
			return nil, errNoTensor
		}
		all = append(all, numbers...)
	}
	if columns == 0 {
		return nil, errNoTensor
	}
	return ir.TensorFrom(all, len(f.Sequence), columns)
}

// tensor reads a tensor of type t; Dynamic stands for the type that the file has. narrowType,
// unless it is empty, is the type of the elements in the file, which t holds: see onnx.NarrowType.
func (f *value) tensor(t ir.ElementType, narrowType string) (*ir.Tensor, error) {
	if f.Tensor == "" {
		tensor, err := f.rows()
		if err != nil {
			return nil, faults.Errorf("%s.json: %w", f.name, err)
		}
		return tensor, nil
	}
	shape := f.Shape
	if shape == nil && t.Size() == 0 && t != ir.String && f.described {
		shape = ir.Shape{}
	}
	array, err := npy.ReadFile(filepath.Join(f.folder, f.Tensor))
	if err != nil {
		return nil, err
	}
	if narrowType != "" {
		if shape == nil {
			shape = array.Shape
		}
		return onnx.Expand(narrowType, shape, array.Data)
	}
	if t == ir.Dynamic {
		t = array.ElementType()
	}
	tensor, err := array.Tensor(t, shape)
	if err != nil {
		return nil, faults.Errorf("%s is %s%v, and the model has %v: %w", f.name, array.Descr, array.Shape, t, err)
	}
	return tensor, nil
}
