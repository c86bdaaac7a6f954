package onnxcases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/onnxextension"
)

// writtenStep selects the cases of TestWritten, unless VINOIR_EXHAUSTIVE is set.
const writtenStep = 16

// TestWritten writes the models of the corpus as IRs. Nothing may be wrong with these, and they
// must compute the same bits.
func TestWritten(t *testing.T) {
	step := writtenStep
	if os.Getenv("VINOIR_EXHAUSTIVE") != "" {
		step = 1
	}
	r, err := conformance.NewRunner(append(builtin.Ops(), onnxextension.Ops()...)...)
	require.NoError(t, err)
	var folders []string
	for _, pattern := range []string{"contrib/*", "data/*/*", "nets/*", "node/*", "versions/*"} {
		list, err := filepath.Glob(filepath.Join(optest.Corpus(t), "onnxfiles", pattern, modelFile))
		require.NoError(t, err)
		folders = append(folders, list...)
	}
	compared := 0
	for i := 0; i < len(folders); i += step {
		folder := filepath.Dir(folders[i])
		t.Run(conformance.CaseName(folder), func(t *testing.T) {
			model, err := read(t.Context(), r, folder)
			if err != nil {
				t.Skip(err) // TestCorpus counts these cases
			}
			defer model.Close()
			data, err := os.ReadFile(filepath.Join(folder, "case.json"))
			require.NoError(t, err)
			var file caseFile
			require.NoError(t, json.Unmarshal(data, &file))
			written, err := conformance.Written(t.Context(), model, r.Registry())
			require.NoError(t, err)
			want, err := outputs(t, r, model, folder, file.Inputs)
			if err != nil || file.Random {
				t.Skip(err)
			}
			got, err := outputs(t, r, written, folder, file.Inputs)
			require.NoError(t, err)
			for i := range want {
				require.NoError(t, conformance.Compare(got[i], want[i], 0), "output %d", i)
			}
			compared++
		})
	}
	require.Greater(t, compared, len(folders)/step*3/4)
}

// outputs runs a model with the inputs of a case.
func outputs(t *testing.T, r *conformance.Runner, model *ir.Model, folder string, inputs []string) ([]*ir.Tensor, error) {
	compiled, err := r.Core().CompileModel(t.Context(), model, r.CompileOptions())
	if err != nil {
		return nil, err
	}
	t.Cleanup(compiled.Close)
	request := compiled.NewInferRequest()
	for i, name := range inputs {
		at, err := compiled.InputIndex(name)
		require.NoError(t, err)
		tensor, err := readTensor(folder, "in", i, compiled.Inputs()[at].Type)
		require.NoError(t, err)
		require.NoError(t, request.SetInput(at, tensor))
	}
	if err := request.Infer(t.Context()); err != nil {
		return nil, err
	}
	list := make([]*ir.Tensor, len(compiled.Outputs()))
	for i := range list {
		list[i] = request.Output(i)
	}
	return list, nil
}
