package onnxcases

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/plugin"
)

const (
	// maxTime is the longest time that a broken model may take, and longest that of one whose
	// inference has no end of its own.
	maxTime, longest = 10 * time.Second, 2 * time.Second
	// maxInput is the largest number of elements of an input that is made for a broken model.
	maxInput = 1 << 20
)

// runBad runs a case with a broken model: it is read, compiled and run with zeros.
func (file *caseFile) runBad(ctx context.Context, r *conformance.Runner, folder string) error {
	if len(file.Links) > 0 {
		linked, err := withLinks(folder, file.Links)
		if err != nil {
			return err
		}
		defer os.RemoveAll(linked)
		folder = linked
	}
	started := time.Now()
	_, err := infer(ctx, r, folder, onnx.Options{}, longest, setZeros)
	if took := time.Since(started); took > maxTime {
		return faults.Errorf("it took %v, %w", took, faults.Join(err))
	}
	switch {
	case err == nil && file.Expect == "error":
		return errors.New("accepted, to be refused")
	case err != nil && (file.Expect == "ok" || strings.Contains(err.Error(), "BUG: ")):
		return err
	}
	return nil
}

// setZeros sets the inputs of request to small tensors.
func setZeros(_ *ir.Model, compiled *plugin.CompiledModel, request *plugin.InferRequest) error {
	for i, port := range compiled.Inputs() {
		tensor, err := zeros(port)
		if err != nil {
			return err
		}
		if err := request.SetInput(i, tensor); err != nil {
			return err
		}
	}
	return nil
}

// zeros returns a small tensor for an input.
func zeros(port plugin.Port) (*ir.Tensor, error) {
	shape := make(ir.Shape, max(port.Shape.Rank(), 0))
	n := 1
	for i := range shape {
		d := port.Shape.At(i)
		if shape[i] = int(min(d.Min, maxInput)); d.IsDynamic() {
			shape[i] = int(max(d.Min, min(d.Max, 2)))
		}
		if n *= max(shape[i], 1); n > maxInput {
			return nil, faults.Errorf("the input has shape %v, too large for a test", port.Shape)
		}
	}
	return ir.NewTensor(port.Type, shape...)
}

// withLinks returns a copy of a folder with symbolic links in it.
func withLinks(folder string, links map[string]string) (string, error) {
	linked, err := os.MkdirTemp("", "onnxcases")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(linked, os.DirFS(folder)); err != nil {
		return "", faults.Join(err, os.RemoveAll(linked))
	}
	for path, target := range links {
		if err := os.Symlink(target, filepath.Join(linked, path)); err != nil {
			return "", faults.Join(err, os.RemoveAll(linked))
		}
	}
	return linked, nil
}
