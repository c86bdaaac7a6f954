package onnxcases_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/conformance/onnxcases"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ops/builtin"
)

// identity and small are models y = Identity(x), of f32[2] and of u4[2], made by Python's onnx:
//
//	onnx.helper.make_model(onnx.parser.parse_graph("g (float[2] x) => (float[2] y) { y = Identity(x) }"))
const (
	identity = "CA46OQoSCgF4EgF5IghJZGVudGl0eToAEgFnWg8KAXgSCgoICAESBAoCCAJiDwoBeRIKCggIARIECgIIAkIECgAQFQ=="
	small    = "CA46OQoSCgF4EgF5IghJZGVudGl0eToAEgFnWg8KAXgSCgoICBUSBAoCCAJiDwoBeRIKCggIFRIECgIIAkIECgAQFQ=="
)

// write writes a case with a model in base64 and returns its folder.
func write(t *testing.T, model, caseJSON string) string {
	t.Helper()
	folder := t.TempDir()
	data, err := base64.StdEncoding.DecodeString(model)
	require.NoError(t, err)
	for name, content := range map[string][]byte{"model.onnx": data, "case.json": []byte(caseJSON)} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), content, 0o600))
	}
	for _, side := range []string{"in", "out"} {
		require.NoError(t, os.Mkdir(filepath.Join(folder, side), 0o700))
	}
	return folder
}

// writeTensor writes input or output 0 of a case.
func writeTensor(t *testing.T, folder, side string, data any) {
	t.Helper()
	tensor, err := ir.TensorFrom(data)
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(filepath.Join(folder, side, "0.npy"), tensor))
}

// runIn runs the only case in a folder.
func runIn(t *testing.T, folder string) conformance.Result {
	t.Helper()
	r, err := conformance.NewRunner(builtin.Ops()...)
	require.NoError(t, err)
	cases, err := conformance.Find(folder, nil, onnxcases.Find)
	require.NoError(t, err)
	require.Len(t, cases, 1)
	return r.Run(t.Context(), cases[0])
}

func TestRun(t *testing.T) {
	const names = `{"inputs": ["x"], "outputs": ["y"], "rtol": 0.1%s}`
	for _, c := range []struct {
		name, more string
		want       any
		outcome    conformance.Outcome
		message    string
	}{
		{"same", "", []float32{1, 2}, conformance.Passed, ""},
		{"near", "", []float32{1.05, 2}, conformance.Passed, ""},
		{"far", "", []float32{1.5, 2}, conformance.Failed, "output 0 (y): 1 of 2 elements"},
		{"random", `, "random": true`, []float32{7, 8}, conformance.Passed, ""},
		{"random of another shape", `, "random": true`, []float32{7, 8, 9}, conformance.Failed, "output is f32[2], want f32[3]"},
		{"type", "", []int64{1, 2}, conformance.Failed, "out/0 is <i8[2], and the model has f32"},
		{"missing", "", nil, conformance.Failed, "no such file"},
		{"unknown field", `, "rtol": "x"`, []float32{1, 2}, conformance.Failed, "case.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := write(t, identity, fmt.Sprintf(names, c.more))
			writeTensor(t, folder, "in", []float32{1, 2})
			if c.want != nil {
				writeTensor(t, folder, "out", c.want)
			}
			result := runIn(t, folder)
			assert.Equal(t, c.outcome, result.Outcome, result.Message)
			assert.Contains(t, result.Message, c.message)
		})
	}
}

func TestRun_packed(t *testing.T) {
	folder := write(t, small, `{"inputs": ["x"], "outputs": ["y"]}`)
	for _, side := range []string{"in", "out"} {
		writeTensor(t, folder, side, []uint8{0x21})
		require.NoError(t, os.WriteFile(filepath.Join(folder, side, "0.json"), []byte(`{"tensor": "0.npy", "shape": [2]}`), 0o600))
	}
	assert.Equal(t, conformance.Passed, runIn(t, folder).Outcome)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "out", "0.json"), []byte(`{"sequence": []}`), 0o600))
	assert.Contains(t, runIn(t, folder).Message, "the model has 1 outputs, want 0 tensors")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "out", "0.json"), []byte(`[`), 0o600))
	assert.Contains(t, runIn(t, folder).Message, "out/0.json: unexpected end")
}

func TestRun_maps(t *testing.T) {
	folder := write(t, identity, `{"inputs": ["x"], "outputs": ["y"]}`)
	writeTensor(t, folder, "in", []float32{1, 2})
	for content, message := range map[string]string{
		`{"sequence": [{"map": [["a", "b"], [1, 2]]}, {"map": [["a", "b"], [3, 4]]}]}`: "output 0 (y): ",
		`{"sequence": [{"map": [["a", "b"], [1, 2]]}, {"map": [["a"], [3]]}, {}]}`:     "out/0.json: the file has no tensor",
		`{"sequence": [{"map": [["a"], ["b"]]}]}`:                                      "out/0.json: json",
		`{"sequence": [{"map": [[], []]}]}`:                                            "out/0.json: the file has no tensor",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "out", "0.json"), []byte(content), 0o600))
		assert.Contains(t, runIn(t, folder).Message, message)
	}
}

// TestRun_lists tests inputs and outputs that are sequences and optionals. In lists, y is the
// sequence in the optional x, and z is y without its tensor n; in optional, y is x, and z whether x
// has a value.
func TestRun_lists(t *testing.T) {
	const (
		lists = "CAg6hwEKEgoBeBIBeSIISWRlbnRpdHk6AAoaCgF5CgFuEgF6Ig1TZXF1ZW5jZUVyYXNlOgASAWdaFwoBeBISShAKDiIMCgoKCAgBEgQKAggCWgsKAW4SBgoECAcSAGIX" +
			"CgF5EhJKEAoOIgwKCgoICAESBAoCCAJiEwoBehIOIgwKCgoICAESBAoCCAJCBAoAEBI="
		optional = "CAg6bAoSCgF4EgF5IghJZGVudGl0eToAChwKAXgSAXoiEk9wdGlvbmFsSGFzRWxlbWVudDoAEgFnWhMKAXgSDkoMCgoKCAgBEgQKAggCYhMKAXkSDkoMCgoKCAgBEgQKAggC" +
			"YgsKAXoSBgoECAkSAEIECgAQEg=="
		pair  = `{"optional": {"sequence": [{"tensor": "0.npy"}, {"tensor": "a.npy"}]}}`
		first = `{"sequence": [{"tensor": "0.npy"}]}`
		none  = `{"optional": null}`
	)
	zero, one := []float32{1, 2}, []float32{3, 4}
	files := func(t *testing.T, model string, inputs, outputs string, content map[string]any) conformance.Result {
		folder := write(t, model, fmt.Sprintf(`{"inputs": [%s], "outputs": [%s]}`, inputs, outputs))
		for name, data := range content {
			path := filepath.Join(folder, filepath.FromSlash(name))
			if text, ok := data.(string); ok {
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
				continue
			}
			tensor, err := ir.TensorFrom(data)
			require.NoError(t, err)
			require.NoError(t, npy.WriteFile(path, tensor))
		}
		return runIn(t, folder)
	}
	all := map[string]any{
		"in/0.json": pair, "in/0.npy": zero, "in/a.npy": one, "in/1.npy": int64(-1), "out/0.json": pair, "out/0.npy": zero, "out/a.npy": one, "out/1.json": first,
	}
	result := files(t, lists, `"x", "n"`, `"y", "z"`, all)
	assert.Equal(t, conformance.Passed, result.Outcome, result.Message)
	all["out/1.json"] = `{"sequence": [{"tensor": "a.npy"}]}`
	assert.Contains(t, files(t, lists, `"x", "n"`, `"y", "z"`, all).Message, "output 2 (z.0): ")
	all["out/1.json"] = pair
	assert.Contains(t, files(t, lists, `"x", "n"`, `"y", "z"`, all).Message, "the model has 3 outputs, want 4 tensors")
	all["in/0.json"] = `{"optional": 1}`
	assert.Contains(t, files(t, lists, `"x", "n"`, `"y", "z"`, all).Message, "in/0.json: json")

	result = files(t, optional, `"x"`, `"y", "z"`, map[string]any{"in/0.json": none, "out/0.json": none, "out/1.npy": false})
	assert.Equal(t, conformance.Passed, result.Outcome, result.Message)
	given := `{"optional": {"tensor": "0.npy"}}`
	result = files(t, optional, `"x"`, `"y", "z"`, map[string]any{"in/0.json": given, "in/0.npy": zero, "out/0.json": given, "out/0.npy": zero, "out/1.npy": true})
	assert.Equal(t, conformance.Passed, result.Outcome, result.Message)
}

func TestRun_bad(t *testing.T) {
	for _, c := range []struct {
		name, model, expect string
		outcome             conformance.Outcome
	}{
		{"refused", "AA==", `{"expect": "error"}`, conformance.Passed},
		{"accepted", identity, `{"expect": "error"}`, conformance.Failed},
		{"either", identity, `{"expect": "any"}`, conformance.Passed},
		{"good", identity, `{"expect": "ok"}`, conformance.Passed},
		{"not good", "AA==", `{"expect": "ok"}`, conformance.Failed},
		{"links", identity, `{"expect": "ok", "links": {"a": "b"}}`, conformance.Passed},
		{"link twice", identity, `{"expect": "ok", "links": {"model.onnx": "b"}}`, conformance.Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := runIn(t, write(t, c.model, c.expect))
			assert.Equal(t, c.outcome, result.Outcome, result.Message)
		})
	}
}

func TestFind(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "case.json"), []byte("{}"), 0o600))
	cases, err := conformance.Find(folder, nil, onnxcases.Find)
	require.NoError(t, err)
	assert.Empty(t, cases, "the folder has no model.onnx")
}
