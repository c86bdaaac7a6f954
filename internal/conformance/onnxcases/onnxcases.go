// Package onnxcases has the conformance cases whose model is an ONNX file. It stands beside package
// conformance, so that programs and tests without ONNX do not link its reader.
package onnxcases

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/plugin"
)

// maxText is the size in bytes of the largest case.json.
const maxText = 1 << 20

// modelFile is the name of the model of a case.
const modelFile = "model.onnx"

// Find is a conformance.Finder. It knows folders with case.json and model.onnx.
func Find(path string) ([]conformance.Case, error) {
	if filepath.Base(path) != "case.json" {
		return nil, nil
	}
	folder := filepath.Dir(path)
	if _, err := os.Stat(filepath.Join(folder, modelFile)); err != nil {
		return nil, nil
	}
	run := func(ctx context.Context, r *conformance.Runner) error { return run(ctx, r, folder) }
	return []conformance.Case{conformance.NewCase("onnxfiles."+conformance.CaseName(folder), folder, run)}, nil
}

// caseFile is the content of case.json.
type caseFile struct {
	// Inputs and Outputs are the names of what the files in the folders in and out have.
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`
	// The tolerance is that of the case: see conformance.Tolerance.
	RTol   float64 `json:"rtol"`
	ATol   float64 `json:"atol"`
	MaxRel float64 `json:"max_rel"`
	RelRMS float64 `json:"rel_rms"`
	// Random means that only the types and shapes of the outputs are given.
	Random bool `json:"random"`
	// Expect is set for a broken model: "error" if it must be refused, "any" if it may be, "ok" if
	// it only looks odd.
	Expect string `json:"expect"`
	// Links has symbolic links, path to target, that the folder must have.
	Links map[string]string `json:"links"`
}

// run runs the case in a folder.
func run(ctx context.Context, r *conformance.Runner, folder string) error {
	data, err := regular.ReadFile(filepath.Join(folder, "case.json"), maxText)
	if err != nil {
		return err
	}
	var file caseFile
	if err := json.Unmarshal(data, &file); err != nil {
		return faults.Errorf("case.json: %w", err)
	}
	if file.Expect != "" {
		return file.runBad(ctx, r, folder)
	}
	inputs, err := readValues(folder, "in", file.Inputs)
	if err != nil {
		return err
	}
	wanted, err := readValues(folder, "out", file.Outputs)
	if err != nil {
		return err
	}
	opts, err := readOptions(inputs, wanted)
	if err != nil {
		return err
	}
	var narrowTypes []string
	outputs, err := infer(ctx, r, folder, opts, r.Timeout, func(m *ir.Model, compiled *plugin.CompiledModel, request *plugin.InferRequest) error {
		for _, layer := range m.Results {
			narrowTypes = append(narrowTypes, onnx.NarrowType(layer))
		}
		return setInputs(tensorsOf(inputs), opts, m, compiled, request)
	})
	if err != nil {
		return err
	}
	tensors := tensorsOf(wanted)
	if n := len(outputs); n < len(tensors) || n > len(tensors) && hasLists(wanted) {
		return faults.Errorf("the model has %d outputs, want %d tensors", n, len(tensors))
	}
	for i, v := range tensors {
		want, err := v.tensor(outputs[i].ElementType(), narrowTypes[i])
		if err != nil {
			return err
		}
		if err := file.compare(outputs[i], want); err != nil {
			return faults.Errorf("output %d (%s): %w", i, v.port, err)
		}
	}
	return nil
}

// setInputs sets the inputs of request to tensors of the case, but for those that are constants of
// the model.
func setInputs(inputs []*value, opts onnx.Options, m *ir.Model, compiled *plugin.CompiledModel, request *plugin.InferRequest) error {
	for _, v := range inputs {
		if opts.Constants[v.port] != nil {
			continue
		}
		at, err := compiled.InputIndex(v.port)
		if err != nil {
			return err
		}
		tensor, err := v.tensor(compiled.Inputs()[at].Type, onnx.NarrowType(m.Parameters[at]))
		if err != nil {
			return err
		}
		if err := request.SetInput(at, tensor); err != nil {
			return err
		}
	}
	return nil
}

// infer reads, compiles and runs the model in a folder, and returns its outputs. set sets the
// inputs. The inference ends after the time longest.
func infer(ctx context.Context, r *conformance.Runner, folder string, opts onnx.Options, longest time.Duration,
	set func(*ir.Model, *plugin.CompiledModel, *plugin.InferRequest) error) ([]*ir.Tensor, error) {
	model, err := read(ctx, r, folder, opts)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	compiled, err := r.Core().CompileModel(ctx, model, r.CompileOptions())
	if err != nil {
		return nil, err
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	if err := set(model, compiled, request); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if err := request.Infer(ctx); err != nil {
		return nil, err
	}
	return request.CopyOutputs(ctx)
}

// read reads the model of a case and checks its graph.
func read(ctx context.Context, r *conformance.Runner, folder string, opts onnx.Options) (*ir.Model, error) {
	opts.Rules = r.Registry()
	model, err := onnx.ReadFile(ctx, filepath.Join(folder, modelFile), opts)
	if err != nil {
		return nil, err
	}
	if err := edit.Check(model); err != nil {
		return nil, faults.Errorf("BUG: %w", err)
	}
	return model, nil
}

// compare returns an error unless got is want, within the tolerance of the case.
func (file *caseFile) compare(got, want *ir.Tensor) error {
	if file.Random {
		if a, b := got.Shape().String(), want.Shape().String(); a != b || got.ElementType() != want.ElementType() {
			return faults.Errorf("output is %v%s, want %v%s", got.ElementType(), a, want.ElementType(), b)
		}
		return nil
	}
	return conformance.Within(got, want, conformance.Tolerance{RTol: file.RTol, ATol: file.ATol, MaxRel: file.MaxRel, RelRMS: file.RelRMS})
}

// errNoTensor is the error of a case with a map in another place than a ZipMap has it.
var errNoTensor = errors.New("the file has no tensor")
