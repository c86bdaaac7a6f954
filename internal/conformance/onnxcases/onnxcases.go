// Package onnxcases has the conformance cases whose model is an ONNX file. It stands beside package
// conformance, so that programs and tests without ONNX do not link its reader.
package onnxcases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/vinoir/vinoir/internal/conformance"
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
		return fmt.Errorf("case.json: %w", err)
	}
	if file.Expect != "" {
		return file.runBad(ctx, r, folder)
	}
	outputs, err := infer(ctx, r, folder, r.Timeout, func(compiled *plugin.CompiledModel, request *plugin.InferRequest) error {
		return file.setInputs(folder, compiled, request)
	})
	if err != nil {
		return err
	}
	for i, name := range file.Outputs {
		want, err := readTensor(folder, "out", i, outputs[i].ElementType())
		if err != nil {
			return err
		}
		if err := file.compare(outputs[i], want); err != nil {
			return fmt.Errorf("output %d (%s): %w", i, name, err)
		}
	}
	return nil
}

// setInputs sets the inputs of request to those in the folder of the case.
func (file *caseFile) setInputs(folder string, compiled *plugin.CompiledModel, request *plugin.InferRequest) error {
	for i, name := range file.Inputs {
		at, err := compiled.InputIndex(name)
		if err != nil {
			return err
		}
		tensor, err := readTensor(folder, "in", i, compiled.Inputs()[at].Type)
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
func infer(ctx context.Context, r *conformance.Runner, folder string, longest time.Duration,
	set func(*plugin.CompiledModel, *plugin.InferRequest) error) ([]*ir.Tensor, error) {
	model, err := read(ctx, r, folder)
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
	if err := set(compiled, request); err != nil {
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
func read(ctx context.Context, r *conformance.Runner, folder string) (*ir.Model, error) {
	model, err := onnx.ReadFile(ctx, filepath.Join(folder, modelFile), onnx.Options{Rules: r.Registry()})
	if err != nil {
		return nil, err
	}
	if err := edit.Check(model); err != nil {
		return nil, fmt.Errorf("BUG: %w", err)
	}
	return model, nil
}

// compare returns an error unless got is want, within the tolerance of the case.
func (file *caseFile) compare(got, want *ir.Tensor) error {
	if file.Random {
		if a, b := got.Shape().String(), want.Shape().String(); a != b || got.ElementType() != want.ElementType() {
			return fmt.Errorf("output is %v%s, want %v%s", got.ElementType(), a, want.ElementType(), b)
		}
		return nil
	}
	return conformance.Within(got, want, conformance.Tolerance{RTol: file.RTol, ATol: file.ATol, MaxRel: file.MaxRel, RelRMS: file.RelRMS})
}

// errNoTensor is the error of a case with a sequence, an optional or a map.
var errNoTensor = errors.New("the file has no tensor")

// name returns the path of a file with an input or output, without its extension.
func name(folder, side string, i int) string { return filepath.Join(folder, side, strconv.Itoa(i)) }
