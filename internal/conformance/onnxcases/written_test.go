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
	"github.com/vinoir/vinoir/ir/onnx"
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
			data, err := os.ReadFile(filepath.Join(folder, "case.json"))
			require.NoError(t, err)
			var file caseFile
			require.NoError(t, json.Unmarshal(data, &file))
			inputs, err := readValues(folder, "in", file.Inputs)
			require.NoError(t, err)
			wanted, err := readValues(folder, "out", file.Outputs)
			require.NoError(t, err)
			opts, err := readOptions(inputs, wanted)
			require.NoError(t, err)
			model, err := read(t.Context(), r, folder, opts)
			if err != nil {
				t.Skip(err) // TestCorpus counts these cases
			}
			defer model.Close()
			written, err := conformance.Written(t.Context(), model, r.Registry())
			require.NoError(t, err)
			want, err := outputs(t, r, model, inputs, opts)
			if err != nil || file.Random {
				t.Skip(err)
			}
			got, err := outputs(t, r, written, inputs, opts)
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
func outputs(t *testing.T, r *conformance.Runner, model *ir.Model, inputs []*value, opts onnx.Options) ([]*ir.Tensor, error) {
	compiled, err := r.Core().CompileModel(t.Context(), model, r.CompileOptions())
	if err != nil {
		return nil, err
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	if err := setInputs(tensorsOf(inputs), opts, model, compiled, request); err != nil {
		return nil, err
	}
	if err := request.Infer(t.Context()); err != nil {
		return nil, err
	}
	return request.CopyOutputs(t.Context())
}
