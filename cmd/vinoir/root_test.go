package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// messages is a model with an input "nodes", f32[?,2], and two outputs.
const messages = "../../examples/scatter/model.xml"

// tiny is the directory of a language model.
const tiny = "../../generate/testdata/tiny"

// testCase returns the path of a folder or file in testdata/ir.
func testCase(elements ...string) string {
	return filepath.Join("..", "..", "testdata", "ir", filepath.Join(elements...))
}

// outcome is the result of a command.
type outcome struct {
	code           int
	stdout, stderr string
}

// vinoir runs the command with the given standard input and arguments.
func vinoir(stdin string, args ...string) outcome {
	var stdout, stderr strings.Builder
	code := run(context.Background(), args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// decode parses stdout, which must be one JSON value without fields that T does not have.
func decode[T any](t *testing.T, o outcome) T {
	t.Helper()
	var v T
	decoder := json.NewDecoder(strings.NewReader(o.stdout))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(&v), o)
	require.False(t, decoder.More(), "more than one JSON value")
	keepReport(t, reflect.TypeFor[T](), o.stdout)
	return v
}

func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "no command is given"},
		{[]string{"frob"}, "unknown command \"frob\"\nSee vinoir --help."},
		{[]string{"model.onnx"}, "unknown command \"model.onnx\": a command goes before a model, such as vinoir run model.onnx"},
		{[]string{"model.xml"}, "unknown command \"model.xml\": a command goes before a model, such as vinoir run model.xml"},
		{[]string{"bechmark"}, "unknown command \"bechmark\": did you mean benchmark?"},
		{[]string{"info", messages, "--shape", "nodes=[1,2]"}, "--shape goes with --plan"},
		{[]string{"profile", "--nonsense"}, "See vinoir profile --help."},
		{[]string{"run"}, "one MODEL is needed, an .xml or .onnx, or - for standard input"},
		{[]string{"run", "a.xml", "b.xml"}, "one MODEL is needed, an .xml or .onnx, or - for standard input"},
		{[]string{"benchmark"}, "one MODEL is needed, an .xml or .onnx, or - for standard input"},
		{[]string{"profile"}, "one MODEL is needed, an .xml or .onnx, or - for standard input"},
		{[]string{"profile", messages, "--runs", "0"}, "--runs 0 is not a number from 1 to 100000"},
		{[]string{"info"}, "one MODEL is needed, an .xml or .onnx, or - for standard input"},
		{[]string{"embed"}, "one MODEL is needed, an .xml or .onnx, or - for standard input"},
		{[]string{"convert", messages}, "MODEL, or - for standard input, and OUT.xml are needed"},
		{[]string{"convert", messages, "-"}, "convert writes two files, not standard output"},
		{[]string{"convert", messages, "out.xml", "--shape", "edges=[2,2]"}, `input "edges"`},
		{[]string{"embed", "-"}, "embed copies a file, not standard input"},
		{[]string{"embed", messages, "--package", "Mean-Max"}, "--package Mean-Max is not a name of a package: lower-case letters and digits, like meanmax"},
		{[]string{"embed", messages, "--package", "main"}, "like mainmodel"},
		{[]string{"validate"}, "a MODEL is needed"},
		{[]string{"conformance"}, "a DIR is needed"},
		{[]string{"ops", "more"}, "more is no layer type"},
		{[]string{"run", messages, "--frob"}, "unknown flag"},
		{[]string{"run", messages, "--threads", "many"}, "--threads many: not a whole number"},
		{[]string{"run", messages, "--threads", "-1"}, "is negative"},
		{[]string{"run", messages}, `input "nodes" has shape [?,2]`},
		{[]string{"run", messages, "--shape", "nodes"}, "is not NAME=[...]"},
		{[]string{"run", messages, "--shape", "nodes=[a]"}, `--shape nodes=[a]: shape "[a]": dimension "a"`},
		{[]string{"run", messages, "--shape", "edges=[2,2]"}, `input "edges"`},
		{[]string{"run", messages, "--shape", "nodes=[5,2]", "--fill", "ones"}, "none of random, zeros, ramp"},
		{[]string{"run", stateful, "--in", "a.npy"}, "--in a.npy: the model has 2 inputs: say which, as in NAME=a.npy"},
		{[]string{"run", messages, "--in", "1=a.npy"}, `input "1": the model has no input of that name, it has "nodes"`},
		{[]string{"benchmark", messages, "--seconds", "-1"}, "--seconds -1 is not a number from 0 to 86400"},
		{[]string{"benchmark", messages, "--seconds", "1e300"}, "--seconds 1e+300 is not a number from 0 to 86400"},
		{[]string{"benchmark", messages, "--seconds", "NaN"}, "--seconds NaN is not a number"},
		{[]string{"benchmark", messages, "--runs", "-1"}, "--runs -1 is not a number from 0 to 1048576"},
		{[]string{"benchmark", messages, "--requests", "5000"}, "--requests 5000 is not a number from 0 to 1024"},
		{[]string{"benchmark", messages, "--streams", "-1"}, "--streams -1 is negative"},
		{[]string{"benchmark", messages, "--warmup", "-1s"}, "--warmup -1s is not a time from 0s to 24h"},
		{[]string{"benchmark", messages, "--hint", "fast"}, `"fast" is not a performance hint`},
		{[]string{"benchmark", messages, "--precision", "i4"}, `"i4" is not a precision; there are f32, bf16 and f16`},
		{[]string{"benchmark", messages, "--report", "a.txt"}, "--report a.txt is none of F.csv, F.json"},
		{[]string{"benchmark", messages, "--percentiles", "50,101"}, `--percentiles 50,101: "101" is not a number above 0, at most 100`},
		{[]string{"benchmark", messages, "--percentiles", strings.Repeat("1,", 100) + "1"}, "--percentiles has 101 numbers, at most 100 are allowed"},
		{[]string{"benchmark", "-m", messages, "-d", "GPU"}, "-d GPU: there is only CPU"},
		{[]string{"benchmark", "-m"}, "-m needs a value"},
		{[]string{"conformance", "../../testdata/ir", "--threads", "-1"}, "--threads -1 is negative"},
		{[]string{"validate", messages, "--format", "xml"}, "none of text, json, sarif"},
		{[]string{"validate", messages, "--bin", "a", "--no-bin"}, "exclude each other"},
		{[]string{"validate", messages, messages, "--bin", "a"}, "goes with one model"},
		{[]string{"validate", messages, "--color", "red"}, "none of auto, always, never"},
		{[]string{"validate", "-", "--fix"}, "standard input"},
		{[]string{"validate", messages, "--fix", "--shape", "nodes=[1,2]"}, "--fix and --shape exclude each other"},
		{[]string{"validate", messages, "--fix", "--explain", "sum"}, "exclude each other"},
		{[]string{"validate", messages, "--explain", "none"}, `layer "none": the model has no layer of that name, it has "nodes" ("0"), `},
		{[]string{"validate", messages, "--explain", "sum:1"}, "has no output 1"},
		{[]string{"validate", messages, messages, "--explain", "sum"}, "--explain goes with one model"},
		{[]string{"validate", messages, "--explain", "sum", "--format", "sarif"}, "prints text or json"},
		{[]string{"validate", "--rules", "--format", "sarif"}, "prints text or json"},
		{[]string{"conformance", "../../testdata/ir", "--filter", "("}, "--filter"},
	} {
		got := vinoir("", tt.args...)
		assert.Equal(t, exitUsage, got.code, "%v: %v", tt.args, got)
		assert.Contains(t, got.stderr, tt.want, "%v", tt.args)
		assert.Empty(t, got.stdout, "%v", tt.args)
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"help"}, {"run", "--help"}} {
		got := vinoir("", args...)
		assert.Equal(t, exitGood, got.code)
		assert.Contains(t, got.stdout, "Usage:")
	}
}

func TestOps(t *testing.T) {
	got := vinoir("", "ops")
	assert.Equal(t, exitGood, got.code)
	assert.Regexp(t, `(?m)^ScatterUpdate-3 +all$`, got.stdout)

	list := decode[[]opInfo](t, vinoir("", "ops", "--json"))
	names := make(map[string]opInfo)
	for _, op := range list {
		names[op.Op] = op
		assert.NotNil(t, op.Types)
	}
	assert.Equal(t, 3, names["GatherElements-6"].MinInputs+1)
	assert.Equal(t, -1, names["Concat-1"].MaxInputs)
}

// TestVariables has a model that keeps what it reads: info lists it, and run says that an inference
// alone does not show it.
func TestVariables(t *testing.T) {
	info := decode[modelInfo](t, vinoir("", "info", stateful, "--json"))
	assert.Equal(t, []variableInfo{{"v", "f32", "[4,1,3]"}}, info.Variables)
	assert.Contains(t, vinoir("", "info", stateful).stdout, "inference to the next:\n  \"v\" f32[4,1,3]\n")
	assert.Equal(t, 1, decode[inference](t, vinoir("", "run", stateful, "--json")).Variables)
	assert.Contains(t, vinoir("", "run", stateful).stdout, "1 variable with initial values")
}

func TestInfo(t *testing.T) {
	got := vinoir("", "info", messages)
	assert.Equal(t, exitGood, got.code)
	assert.Contains(t, got.stdout, `0 "nodes" ["nodes"] f32[?,2]`)

	for _, args := range [][]string{{"info", messages, "--json"}, {"info", messages, "--json", "--no-bin"}} {
		info := decode[modelInfo](t, vinoir("", args...))
		assert.Equal(t, messages, info.Model)
		assert.Equal(t, "messages", info.Name)
		assert.Equal(t, 11, info.Version)
		assert.Equal(t, []portInfo{{"nodes", []string{"nodes"}, "f32", "[?,2]", false}}, info.Inputs)
		assumed := slices.Contains(args, "--no-bin")
		assert.Equal(t, []portInfo{{"sum", []string{"sum"}, "f32", "[?,2]", assumed}, {"max", []string{"max"}, "f32", "[?,2]", assumed}}, info.Outputs)
		assert.Equal(t, 2, info.Layers["ScatterElementsUpdate"])
		assert.Equal(t, 2, info.Opsets["opset12"])
		assert.Equal(t, map[string]*weightInfo{"i64": {Constants: 5, Bytes: 168}}, info.Weights)
		assert.Empty(t, info.Unsupported)
	}

	info := decode[modelInfo](t, vinoir("", "info", messages, "--json", "--plan", "--shape", "nodes=[5,2]"))
	assert.Equal(t, uint64(152), info.BinUsed)
	assert.Equal(t, int64(152), info.BinBytes)
	assert.Equal(t, uint64(21), info.Parameters)
	require.NotNil(t, info.Plan)
	assert.Positive(t, info.Plan.Bytes)
	assert.Nil(t, info.Memory)
	info = decode[modelInfo](t, vinoir("", "info", messages, "--json", "--memory", "--shape", "nodes=[5,2]"))
	assert.Nil(t, info.Plan)
	require.NotNil(t, info.Memory)
	assert.Equal(t, uint64(152), info.Memory.File)
	assert.Positive(t, info.Memory.Arena)
	assert.LessOrEqual(t, info.Memory.Scratch, info.Memory.Arena)
	assert.Equal(t, info.Memory.File+uint64(info.Memory.Kept+info.Memory.Arena), info.Memory.Peak)
	assert.Contains(t, got.stdout, "parameters: 21 in 152 bytes of the .bin, which has 152\n")
	assert.Contains(t, vinoir("", "info", messages, "--memory", "--shape", "nodes=[5,2]").stdout, "  152 weights in the file\n")
	got = vinoir("", "info", messages, "--plan")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "the shapes of the inputs are not static")
	assert.Contains(t, vinoir("", "info", messages, "--plan", "--shape", "nodes=[5,2]").stdout, " bytes of memory beside the weights\n")

	assert.Equal(t, `import (
	"slices"

	"github.com/vinoir/vinoir/ops/constant"
	"github.com/vinoir/vinoir/ops/gather"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/result"
	"github.com/vinoir/vinoir/ops/scatterelements"
	"github.com/vinoir/vinoir/plugin"
)

// These are the families of the layers in the model. The optimizations of plugin insert layers of
// activation, attention, convert, eltwise, mvn, normalizel2, reshape, transpose, unary and variable too,
// if these are listed and it makes a model faster.
registry, err := plugin.NewRegistry(slices.Concat(
	constant.Ops,
	gather.Ops,
	parameter.Ops,
	result.Ops,
	scatterelements.Ops,
)...)
`, vinoir("", "info", messages, "--go").stdout)

	unknown := decode[modelInfo](t, vinoir("", "info", testCase("bad", "layer_unknown", "model.xml"), "--json"))
	assert.Equal(t, map[string]int{"AddUp (opset1)": 1}, unknown.Unsupported)
	assert.Equal(t, exitFault, vinoir("", "info", "none.xml").code)
	assert.Equal(t, exitGood, vinoir(readText(t, messages), "info", "-").code)
}

func TestCovered(t *testing.T) {
	const most = math.MaxUint64
	for _, tt := range []struct {
		want   uint64
		ranges []ir.ConstRange
	}{
		{0, nil},
		{10, []ir.ConstRange{{Offset: 5, Size: 5}, {Offset: 0, Size: 5}}},
		{8, []ir.ConstRange{{Offset: 0, Size: 6}, {Offset: 2, Size: 2}, {Offset: 4, Size: 4}, {Offset: 0, Size: 6}}},
		{most - 1, []ir.ConstRange{{Offset: 1, Size: most}, {Offset: 2, Size: most}}},
	} {
		assert.Equal(t, tt.want, covered(tt.ranges), "%v", tt.ranges)
	}
}

// TestInterrupt runs commands whose context has ended.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"validate", messages}, {"validate", testCase("bad")}, {"run", messages, "--shape", "nodes=[5,2]"},
		{"benchmark", messages, "--shape", "nodes=[5,2]"}, {"profile", messages, "--shape", "nodes=[5,2]"}, {"conformance", testCase("Concat-1")},
		{"generate", tiny, "Hi"}, {"generate", tiny, "--chat"}, {"tokenize", tiny, "Hi"},
	} {
		var stdout, stderr strings.Builder
		assert.Equal(t, exitInterrupted, run(ctx, args, strings.NewReader(""), &stdout, &stderr), "%v", args)
		assert.Equal(t, "vinoir: interrupted\n", stderr.String(), "%v", args)
	}
}
