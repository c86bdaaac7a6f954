package onnxcases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
)

// value is an input or output of a case, or a value in it: the content of a .json file, or that of
// the .npy file of a tensor that needs no other.
type value struct {
	// Tensor is the name of a .npy file, and Shape the shape of packed elements in it.
	Tensor string `json:"tensor"`
	Shape  []int  `json:"shape"`
	// Sequence has the values of a sequence; nil for what is none.
	Sequence []value `json:"sequence"`
	// Optional is the value of an optional or null; empty for what is none.
	Optional json.RawMessage `json:"optional"`
	// Map has, in each row of the output of a ZipMap, a list of labels and a list of numbers.
	Map []json.RawMessage `json:"map"`

	// described means that the value has a .json file.
	described bool
	// folder is that of the files, name the path of the value for errors, and port the name of the
	// input or output of the model that it is.
	folder, name, port string
}

// readValues reads the inputs or the outputs of a case.
func readValues(folder, side string, ports []string) ([]*value, error) {
	values := make([]*value, len(ports))
	for i, port := range ports {
		v := &value{Tensor: strconv.Itoa(i) + ".npy"}
		name := side + "/" + strconv.Itoa(i)
		data, err := regular.ReadFile(filepath.Join(folder, name)+".json", maxText)
		switch {
		case err == nil:
			v = &value{described: true}
			if err := json.Unmarshal(data, v); err != nil {
				return nil, faults.Errorf("%s.json: %w", name, err)
			}
		case !os.IsNotExist(err):
			return nil, err
		}
		if v.Optional != nil && string(v.Optional) != "null" {
			inner := &value{described: true}
			if err := json.Unmarshal(v.Optional, inner); err != nil {
				return nil, faults.Errorf("%s.json: %w", name, err)
			}
			v = inner
		}
		v.place(filepath.Join(folder, side), name, port)
		values[i] = v
	}
	return values, nil
}

// place sets the folder and the names of v and of the values in it.
func (v *value) place(folder, name, port string) {
	v.folder, v.name, v.port = folder, name, port
	for i := range v.Sequence {
		element := &v.Sequence[i]
		element.described = true
		element.place(folder, name, port+"."+strconv.Itoa(i))
	}
}

// isList reports whether v is a sequence that becomes several inputs or outputs: the output of a
// ZipMap is one tensor.
func (v *value) isList() bool {
	return v.Sequence != nil && (len(v.Sequence) == 0 || v.Sequence[0].Map == nil)
}

// isEmpty reports whether v is an optional without a value.
func (v *value) isEmpty() bool { return v.Optional != nil }

// tensorsOf returns the tensors of values: themselves, or those in them.
func tensorsOf(values []*value) []*value {
	var tensors []*value
	for _, v := range values {
		switch {
		case v.isEmpty():
		case v.isList():
			for i := range v.Sequence {
				tensors = append(tensors, tensorsOf([]*value{&v.Sequence[i]})...)
			}
		default:
			tensors = append(tensors, v)
		}
	}
	return tensors
}

// hasLists reports whether one of values does not become one input or output.
func hasLists(values []*value) bool {
	return slices.ContainsFunc(values, func(v *value) bool { return v.isList() || v.isEmpty() })
}

// readOptions returns the options with which a model is read that is run for inputs and outputs. If
// an output is a sequence or an optional, its length must be known, and may depend on inputs that
// are integers or booleans: they are constants then.
func readOptions(inputs, outputs []*value) (onnx.Options, error) {
	opts := onnx.Options{Lengths: make(map[string]int), Constants: make(map[string]*ir.Tensor)}
	lists := hasLists(outputs)
	for _, v := range inputs {
		switch {
		case v.isEmpty():
			opts.Lengths[v.port] = onnx.NoValue
		case v.isList():
			opts.Lengths[v.port] = len(v.Sequence)
		case lists && v.Shape == nil:
			tensor, err := v.tensor(ir.Dynamic, "")
			if err != nil {
				return opts, err
			}
			if t := tensor.ElementType(); t == ir.Boolean || t == ir.I64 || t == ir.I32 {
				opts.Constants[v.port] = tensor
			}
		}
	}
	return opts, nil
}
