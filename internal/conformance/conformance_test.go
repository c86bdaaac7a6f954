package conformance_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/result"
)

// layer returns a layer type with one input and the given kernel.
func layer(name string, kernel ops.Kernel) ops.Op {
	return ops.Op{
		Type: name, Version: 1, Inputs: ops.Exactly(1), Traits: ops.Traits{Stateful: true},
		Infer: func(in *infer.Inference) error {
			in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
			if in.Inputs[0].Shape.Compatible(ir.StaticShape(13)) && in.Inputs[0].Shape.IsStatic() {
				return fmt.Errorf("length 13 is refused")
			}
			return nil
		},
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) { return &ops.Prepared{Kernel: kernel}, nil },
	}
}

func runner(t *testing.T) *conformance.Runner {
	t.Helper()
	list := append(append([]ops.Op{}, parameter.Ops...), result.Ops...)
	list = append(list,
		layer("Twice", func(r *ops.Run) error {
			for i, v := range ir.Data[float32](r.Inputs[0]) {
				ir.Data[float32](r.Outputs[0])[i] = 2 * v
			}
			return nil
		}),
		layer("Panics", func(*ops.Run) error { panic("oh") }),
		layer("Sleeps", func(*ops.Run) error { time.Sleep(10 * time.Second); return nil }),
		layer("Refuses", func(*ops.Run) error { return fmt.Errorf("refused") }),
	)
	r, err := conformance.NewRunner(list...)
	require.NoError(t, err)
	return r
}

const model = `<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/><output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="1" name="op" type="%s" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim></port></input><output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="y" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>2</dim></port></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>`

// write writes a case folder with a layer of type op, the input [1,2] and the output [2,4].
func write(t *testing.T, folder, op, caseJSON string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "in"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "out"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "model.xml"), fmt.Appendf(nil, model, op), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "case.json"), []byte(caseJSON), 0o644))
	writeTensor(t, filepath.Join(folder, "in", "0.npy"), 1, 2)
	writeTensor(t, filepath.Join(folder, "out", "0.npy"), 2, 4)
}

func writeTensor(t *testing.T, path string, data ...float32) {
	t.Helper()
	tensor, err := ir.TensorOf(ir.F32, ir.Shape{len(data)}, data)
	require.NoError(t, err)
	require.NoError(t, npy.WriteFile(path, tensor))
}

func find(t *testing.T, dir string) []conformance.Case {
	t.Helper()
	cases, err := conformance.Find(dir, nil)
	require.NoError(t, err)
	return cases
}

func TestRunner_Run(t *testing.T) {
	for name, tt := range map[string]struct {
		op, json string
		spoil    string // output file that is overwritten with wrong values
		want     conformance.Outcome
		message  string
	}{
		"good":          {"Twice", `{}`, "", conformance.Passed, ""},
		"wrong output":  {"Twice", `{}`, "out/0.npy", conformance.Failed, "output 0: 1 of 2 elements of f32[2] differ"},
		"missing layer": {"Thrice", `{}`, "", conformance.Unsupported, "Thrice"},
		"panic":         {"Panics", `{}`, "", conformance.Crashed, "oh"},
		"error":         {"Refuses", `{}`, "", conformance.Failed, "refused"},
		"no JSON":       {"Twice", `{`, "", conformance.Failed, "case.json"},
		"steps":         {"Twice", `{"steps": 2}`, "", conformance.Failed, "step 1"},

		"bad and accepted":          {"Twice", `{"expect": "error", "stage": "infer"}`, "", conformance.Failed, "accepted"},
		"bad and refused":           {"Refuses", `{"expect": "error", "stage": "infer"}`, "", conformance.Passed, ""},
		"bad and refused too late":  {"Refuses", `{"expect": "error", "stage": "compile"}`, "", conformance.Failed, "refused at stage infer"},
		"bad and panics":            {"Panics", `{"expect": "error", "stage": "infer"}`, "", conformance.Crashed, "oh"},
		"any and accepted":          {"Twice", `{"expect": "any", "stage": "infer"}`, "", conformance.Passed, ""},
		"any and not reported":      {"Twice", `{"expect": "any", "stage": "read"}`, "", conformance.Failed, "validation finds nothing wrong"},
		"any and reported":          {"twice", `{"expect": "any", "stage": "read"}`, "", conformance.Passed, ""},
		"any and refused":           {"Refuses", `{"expect": "any", "stage": "read"}`, "", conformance.Passed, ""},
		"any and panics":            {"Panics", `{"expect": "any", "stage": "read"}`, "", conformance.Crashed, "oh"},
		"bad and missing":           {"Thrice", `{"expect": "error", "stage": "read"}`, "", conformance.Unsupported, ""},
		"OpenVINO lacks it as well": {"Thrice", `{"expect": "error", "stage": "read", "message": "Opset opset1 doesn't contain the operation with type: Thrice"}`, "", conformance.Passed, ""},
		"expect is unknown":         {"Twice", `{"expect": "maybe"}`, "", conformance.Failed, "maybe"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "folder", "case")
			write(t, folder, tt.op, tt.json)
			if tt.spoil != "" {
				writeTensor(t, filepath.Join(folder, tt.spoil), 2, 5)
			}
			cases := find(t, folder)
			require.Len(t, cases, 1)
			got := runner(t).Run(context.Background(), cases[0])
			assert.Equal(t, "folder/case", got.Case)
			assert.Equal(t, tt.want, got.Outcome, got.Message)
			assert.Contains(t, got.Message, tt.message)
		})
	}
}

// TestRunner_Run_unreadable has cases of broken models whose own files cannot be read. They must
// fail, although there is an error at the stage that the case expects.
func TestRunner_Run_unreadable(t *testing.T) {
	for _, expect := range []string{"error", "any"} {
		for _, stage := range []string{"read", "infer"} {
			for _, spoil := range []func(t *testing.T, folder string){
				func(t *testing.T, folder string) {
					require.NoError(t, os.Remove(filepath.Join(folder, "in", "0.npy")))
				},
				func(t *testing.T, folder string) {
					require.NoError(t, os.WriteFile(filepath.Join(folder, "in", "0.npy"), []byte("no tensor"), 0o644))
				},
				func(t *testing.T, folder string) {
					require.NoError(t, os.Remove(filepath.Join(folder, "model.xml")))
					require.NoError(t, os.Symlink("missing", filepath.Join(folder, "model.xml")))
				},
			} {
				folder := filepath.Join(t.TempDir(), "folder", "case")
				write(t, folder, "Refuses", fmt.Sprintf(`{"expect": %q, "stage": %q}`, expect, stage))
				cases := find(t, folder)
				require.Len(t, cases, 1)
				spoil(t, folder)
				got := runner(t).Run(context.Background(), cases[0])
				assert.Equal(t, conformance.Failed, got.Outcome, got.Message)
				assert.Contains(t, got.Message, "the case cannot be read")
			}
		}
	}
}

func TestRunner_Run_steps(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Twice", `{"steps": 2}`)
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "step1", "in"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "step1", "out"), 0o755))
	writeTensor(t, filepath.Join(folder, "step1", "in", "0.npy"), 3, 4)
	writeTensor(t, filepath.Join(folder, "step1", "out", "0.npy"), 6, 8)
	result := runner(t).Run(context.Background(), find(t, folder)[0])
	assert.Equal(t, conformance.Passed, result.Outcome, result.Message)
	writeTensor(t, filepath.Join(folder, "step1", "out", "0.npy"), 6, 9)
	result = runner(t).Run(context.Background(), find(t, folder)[0])
	assert.Equal(t, conformance.Failed, result.Outcome)
	assert.Contains(t, result.Message, "step 1: output 0")
}

func TestRunner_Run_top1(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Twice", `{"rel_rms": 9, "top1": true}`)
	writeTensor(t, filepath.Join(folder, "out", "0.npy"), 4, 5)
	result := runner(t).Run(context.Background(), find(t, folder)[0])
	assert.Equal(t, conformance.Passed, result.Outcome, result.Message)
	writeTensor(t, filepath.Join(folder, "out", "0.npy"), 5, 4)
	result = runner(t).Run(context.Background(), find(t, folder)[0])
	assert.Equal(t, conformance.Failed, result.Outcome)
	assert.Equal(t, "output 0: the largest element is at 1, want 0", result.Message)
}

func TestRunner_Run_timeout(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "Sleeps", `{}`)
	r := runner(t)
	r.Timeout = 10 * time.Millisecond
	result := r.Run(context.Background(), find(t, folder)[0])
	assert.Equal(t, conformance.Crashed, result.Outcome)
	assert.Contains(t, result.Message, "no end within 10ms")
}

func TestRunner_RunAll(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		op := "Twice"
		if i%4 == 0 {
			op = "Panics"
		}
		write(t, filepath.Join(dir, "cases", fmt.Sprintf("%02d", i)), op, `{}`)
	}
	r := runner(t)
	r.Exceptions = conformance.Exceptions{"cases/01": "a reason"}
	seen := 0
	results := r.RunAll(context.Background(), find(t, dir), 3, func(conformance.Result) { seen++ })
	assert.Equal(t, 20, seen)
	for i, result := range results {
		assert.Equal(t, fmt.Sprintf("cases/%02d", i), result.Case)
	}
	assert.Equal(t, map[string]conformance.Counts{
		"cases": {conformance.Passed: 14, conformance.Crashed: 5, conformance.Failed: 1},
	}, conformance.Count(results), "an exception that passes fails")
	assert.Contains(t, results[1].Message, "a reason")
}

func TestFind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "corpus")
	write(t, filepath.Join(dir, "ops", "A-1_0"), "Twice", `{}`)
	write(t, filepath.Join(dir, "ops", "B-1_0"), "Twice", `{}`)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "kernels", "no_model"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kernels", "no_model", "case.json"), nil, 0o644))
	lines := `{"case": "A-1_0", "kind": "grow", "inputs": {"x": "[3]"}, "layers": {"x": ["f32[3]"], "op": ["f32[3]"]}}
{"case": "A-1_0", "kind": "wrong", "inputs": {"x": "[?]"}, "layers": {"x": ["f32[?]"], "op": ["f32[..5]"], "none": ["f32[]"]}}
{"case": "A-1_0", "kind": "refused", "inputs": {"x": "[13]"}, "error": "13"}
{"case": "B-1_0", "kind": "accepted", "inputs": {"x": "[14]"}, "error": "14"}
{"case": "B-1_0", "kind": "not refused", "inputs": {"x": "[13]"}, "layers": {}}
{"case": "B-1_0", "kind": "no input", "inputs": {"z": "[13]"}, "layers": {}}
`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ops.reshape.jsonl"), []byte(lines), 0o644))

	want := map[string]string{
		"ops/A-1_0":                     "",
		"ops/B-1_0":                     "",
		"ops.reshape/A-1_0/grow":        "",
		"ops.reshape/A-1_0/wrong":       `map[x:[?]]: layer "none": inferred [], OpenVINO [f32[]]; layer "op": inferred [f32[?]], OpenVINO [f32[..5]]`,
		"ops.reshape/A-1_0/refused":     "",
		"ops.reshape/B-1_0/accepted":    "is accepted, OpenVINO says: 14",
		"ops.reshape/B-1_0/not refused": "length 13 is refused",
		"ops.reshape/B-1_0/no input":    `input "z"`,
	}
	for _, dir := range []string{dir, filepath.Join(dir, "ops")} {
		got := make(map[string]bool)
		for _, c := range find(t, dir) {
			got[c.Name] = true
			result := runner(t).Run(context.Background(), c)
			if want[c.Name] == "" {
				assert.Equal(t, conformance.Passed, result.Outcome, result)
				continue
			}
			assert.Equal(t, conformance.Failed, result.Outcome, result)
			assert.Contains(t, result.Message, want[c.Name])
		}
		assert.Len(t, got, len(want))
	}

	filtered, err := conformance.Find(dir, regexp.MustCompile(`^ops/B`))
	require.NoError(t, err)
	require.Len(t, filtered, 1)
	assert.Equal(t, "ops/B-1_0", filtered[0].Name)

	_, err = conformance.Find(filepath.Join(dir, "none"), nil)
	assert.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ops.reshape.jsonl"), []byte(`{"case": "../../etc"}`), 0o644))
	_, err = conformance.Find(dir, nil)
	assert.ErrorContains(t, err, "is not a folder beside it")
}

func TestReadExceptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "exceptions.txt")
	text := func(s string) { require.NoError(t, os.WriteFile(path, []byte(s), 0o644)) }
	text("# comment\n\nops/A-1_0\tthe reason\n")
	got, err := conformance.ReadExceptions(path)
	require.NoError(t, err)
	assert.Equal(t, conformance.Exceptions{"ops/A-1_0": "the reason"}, got)
	text("ops/A-1_0 no tab\n")
	_, err = conformance.ReadExceptions(path)
	assert.ErrorContains(t, err, "exceptions.txt:1: no tab")
	text("a\tb\na\tc\n")
	_, err = conformance.ReadExceptions(path)
	assert.ErrorContains(t, err, "listed twice")
}

func TestExceptions(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "ops", "A-1_0")
	write(t, folder, "Refuses", `{}`)
	r := runner(t)
	r.Exceptions = conformance.Exceptions{"ops/A-1_0": "the reason"}
	result := r.Run(context.Background(), find(t, folder)[0])
	assert.Equal(t, conformance.Excepted, result.Outcome)
	assert.Equal(t, "the reason", result.Message)
}

func TestExceptions_unsupported(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "ops", "A-1_0")
	write(t, folder, "Unknown", `{}`)
	r := runner(t)
	require.Equal(t, conformance.Unsupported, r.Run(context.Background(), find(t, folder)[0]).Outcome)
	r.Exceptions = conformance.Exceptions{"ops/A-1_0": "out of scope"}
	result := r.Run(context.Background(), find(t, folder)[0])
	assert.Equal(t, conformance.Excepted, result.Outcome)
	assert.Equal(t, "out of scope", result.Message)
}

func TestCheckCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "counts.json")
	three := map[string]conformance.Counts{"ops": {conformance.Passed: 3, conformance.Failed: 1}}
	two := map[string]conformance.Counts{"ops": {conformance.Passed: 2}}
	assert.Error(t, conformance.CheckCounts(path, three, false), "no record")
	require.NoError(t, conformance.CheckCounts(path, three, true))
	assert.NoError(t, conformance.CheckCounts(path, three, false))
	assert.EqualError(t, conformance.CheckCounts(path, two, false), "ops: 2 pass, 3 passed before")
	require.NoError(t, conformance.CheckCounts(path, map[string]conformance.Counts{"onnx": {conformance.Passed: 1}}, true))
	assert.Error(t, conformance.CheckCounts(path, two, false), "the record of other folders is kept")
}
