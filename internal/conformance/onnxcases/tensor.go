package onnxcases

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ir/onnx"
)

// tensorFile is the content of a file about a value that a .npy file alone does not tell.
type tensorFile struct {
	// Tensor is the name of a .npy file, and Shape the shape of packed elements in it.
	Tensor string `json:"tensor"`
	Shape  []int  `json:"shape"`
	// Sequence has, as the output of a ZipMap, a map for each row: a list of labels and a list of
	// numbers.
	Sequence []struct {
		Map []json.RawMessage `json:"map"`
	} `json:"sequence"`
}

// rows returns the numbers of the maps in Sequence, in their order. It is an error if there
// are others in it.
func (f *tensorFile) rows() (*ir.Tensor, error) {
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

// readTensor reads input or output i of a case, a tensor of type t: the values that layer, a
// Parameter or a Result, has.
func readTensor(folder, side string, i int, t ir.ElementType, layer *ir.Layer) (*ir.Tensor, error) {
	path, shape := name(folder, side, i)+".npy", ir.Shape(nil)
	if data, err := regular.ReadFile(name(folder, side, i)+".json", maxText); err == nil {
		var file tensorFile
		if err := json.Unmarshal(data, &file); err != nil {
			return nil, fmt.Errorf("%s/%d.json: %w", side, i, err)
		}
		if file.Tensor == "" {
			tensor, err := file.rows()
			if err != nil {
				return nil, fmt.Errorf("%s/%d.json: %w", side, i, err)
			}
			return tensor, nil
		}
		path, shape = filepath.Join(folder, side, file.Tensor), file.Shape
		if shape == nil && t.Size() == 0 && t != ir.String {
			shape = ir.Shape{}
		}
	} else if !os.IsNotExist(err) {
		return nil, err
	}
	array, err := npy.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if narrowType := onnx.NarrowType(layer); narrowType != "" {
		if shape == nil {
			shape = array.Shape
		}
		return onnx.Expand(narrowType, shape, array.Data)
	}
	tensor, err := array.Tensor(t, shape)
	if err != nil {
		return nil, fmt.Errorf("%s/%d is %s%v, and the model has %v: %w", side, i, array.Descr, array.Shape, t, err)
	}
	return tensor, nil
}
