package main

import (
	"fmt"
	"go/format"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// copies returns a model that copies its inputs to its outputs. Each of ports is "name type shape",
// and can contain references such as &#10;.
func copies(model string, ports ...string) string {
	layers, edges := "", ""
	for i, port := range ports {
		fields := strings.Split(port, "|")
		data := fmt.Sprintf(`<data shape="%s" element_type="%s"/>`, fields[2], fields[1])
		layers += fmt.Sprintf(`<layer id="%d" name="%s" type="Parameter" version="opset1">%s<output><port id="0" precision="%[4]s" names="%[2]s"/></output></layer>`, 2*i, fields[0], data, fields[1])
		layers += fmt.Sprintf(`<layer id="%d" name="%s" type="Result" version="opset1"><input><port id="0"/></input></layer>`, 2*i+1, fields[0])
		edges += fmt.Sprintf(`<edge from-layer="%d" from-port="0" to-layer="%d" to-port="0"/>`, 2*i, 2*i+1)
	}
	return `<net name="` + model + `" version="11"><layers>` + layers + `</layers><edges>` + edges + `</edges></net>`
}

// allTypes is a model with an input of each element type.
func allTypes() string {
	var ports []string
	for _, t := range []ir.ElementType{
		ir.Boolean, ir.U1, ir.U2, ir.U3, ir.U4, ir.U6, ir.U8, ir.U16, ir.U32, ir.U64, ir.I4, ir.I8, ir.I16, ir.I32, ir.I64,
		ir.F16, ir.BF16, ir.F32, ir.F64, ir.NF4, ir.F4E2M1, ir.F8E4M3, ir.F8E5M2, ir.F8E8M0, ir.String,
	} {
		ports = append(ports, fmt.Sprintf("%v|%[1]v|2,1", t))
	}
	return copies("types", ports...)
}

// TestEmbed_programs builds a program of generated packages and runs it.
func TestEmbed_programs(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there are no processes")
	}
	dir := t.TempDir()
	root := optest.Root(t)
	module := strings.Replace(readText(t, filepath.Join(root, "go.mod")), "module github.com/vinoir/vinoir", "module example", 1)
	module += fmt.Sprintf("\nrequire github.com/vinoir/vinoir v0.0.0\nreplace github.com/vinoir/vinoir => %q\n", root)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), []byte(readText(t, filepath.Join(root, "go.sum"))), 0o600))
	embed := func(name, xml string, args ...string) {
		path := filepath.Join(dir, name+".xml")
		require.NoError(t, os.WriteFile(path, []byte(xml), 0o600))
		embedModel(t, path, filepath.Join(dir, name), args...)
	}
	embedModel(t, messages, filepath.Join(dir, "scatter"))
	embedModel(t, testCase("Assign-6", "f32", "model.xml"), filepath.Join(dir, "state"))
	embedModel(t, testCase("MatMul-1", "f32", "model.xml"), filepath.Join(dir, "matmul"))
	embedModel(t, onnxCase("nets", "external", "model.onnx"), filepath.Join(dir, "linear"))
	embedModel(t, onnxCase("nets", "labels", "model.onnx"), filepath.Join(dir, "labels"))
	embed("types", allTypes())
	embed("hostile", copies(`a&quot;&#10;func init() { panic(1) }&#10;//`, hostilePorts...))
	embed("scalar", copies("m", "x|f32|", "y|f64|?", "shape|i64|..."))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(embedProgram), 0o600))

	command := exec.Command("go", "run", "-mod=mod", ".")
	command.Dir = dir
	command.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off")
	out, err := command.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Equal(t, `[18 22 2 4 6 8 6 7 14 16] [5,2]
Inputs.Nodes: shape [5,2] needs 10 elements, the data has 9
true
40 elements
[1.75 0.875 2.75] [1 -1]
[true false] [3] [1 2] [0x3c00 0x4000] [1 2.5] [a b] [1 2]
24 [1.5] [] [7] [1]
2 2 2 3 4
2 2
`, string(out))
}

// hostilePorts have names that are no identifiers, that collide, and that would end a string or a
// comment.
var hostilePorts = []string{
	"x|f32|1", "X|f32|1", "x_2|f32|1", "x&#10;//go:embed /etc/passwd&#10;|f32|1", "&quot;}; func init() {|f32|1", "`|f32|1", "*/ /*|f32|1",
	"6|f32|1", "日本|f32|1", "type|f32|1", "Inputs|f32|1", "inputs|f32|1", "Len|f32|1", "image|f32|?", "image_shape|f32|2", "imageShape|f32|?",
	"image.shape|i64|2", "$1$2%!s(MISSING)%w|f32|1", "\u202e\u2028|f32|1", "" + strings.Repeat("long ", 1000) + "|f32|1", "|f32|1", "é.ß|f32|1", "ß|f32|1", "\u0301a|f32|1",
}

// embedProgram uses packages that embed has written.
const embedProgram = `package main

import (
	"context"
	"fmt"
	"log"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
	"github.com/x448/float16"

	"example/hostile"
	"example/labels"
	"example/linear"
	"example/matmul"
	"example/scalar"
	"example/scatter"
	"example/state"
	"example/types"
)

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func main() {
	ctx, options := context.Background(), plugin.CompileOptions{}
	messages := must(scatter.New(scatter.Options{CompileOptions: options}))
	nodes := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	sums := must(messages.Infer(ctx, scatter.Inputs{Nodes: nodes, NodesShape: ir.Shape{5, 2}}))
	fmt.Println(sums.Sum, sums.SumShape)
	_, err := messages.Infer(ctx, scatter.Inputs{Nodes: nodes[1:], NodesShape: ir.Shape{5, 2}})
	fmt.Println(err)
	small := must(scatter.New(scatter.Options{Limits: plugin.Options{MaxTensorBytes: 8}}))
	_, err = small.Infer(ctx, scatter.Inputs{Nodes: nodes, NodesShape: ir.Shape{5, 2}})
	fmt.Println(err != nil)

	sum := must(must(matmul.New(matmul.Options{CompileOptions: options})).Infer(ctx, matmul.Inputs{In0: make([]float32, matmul.InputIn0Len), In1: make([]float32, matmul.InputIn1Len)}))
	fmt.Println(len(sum.Out0), "elements")

	relu := must(must(linear.New(linear.Options{CompileOptions: options})).Infer(ctx, linear.Inputs{X: []float32{1, 2, 3, 4}, XShape: ir.Shape{1, 4}}))
	ids := must(must(labels.New(labels.Options{CompileOptions: options})).Infer(ctx, labels.Inputs{Word: []string{"dog", "fox"}, WordShape: ir.Shape{2}}))
	fmt.Println(relu.Y, ids.Id)

	two := []byte{1, 2, 0}
	in := types.Inputs{
		Boolean: []bool{true, false}, U1: []byte{0x80}, U2: []byte{3}, U3: two, U4: []byte{0x21}, U6: []byte{1, 2, 3}, U8: two[:2],
		U16: []uint16{1, 2}, U32: []uint32{1, 2}, U64: []uint64{1, 2}, I4: []byte{0x21}, I8: []int8{1, 2}, I16: []int16{1, 2},
		I32: []int32{1, 2}, I64: []int64{1, 2}, F16: []float16.Float16{float16.Fromfloat32(1), float16.Fromfloat32(2)},
		Bf16: []ir.BFloat16{ir.BFloat16Of(1), ir.BFloat16Of(2)}, F32: []float32{1, 2.5}, F64: []float64{1, 2}, Nf4: []byte{0x21},
		F4e2m1: []byte{0x21}, F8e4m3: two[:2], F8e5m2: two[:2], F8e8m0: two[:2], String: []string{"a", "b"},
	}
	out := must(must(types.New(types.Options{CompileOptions: options})).Infer(ctx, in))
	fmt.Printf("%v %v %v [%#x %#x] %v %v %v\n", out.Boolean, out.U2, out.I8, uint16(out.F16[0]), uint16(out.F16[1]), out.F32, out.String, out.F8e4m3)

	odd := must(hostile.New(hostile.Options{CompileOptions: options}))
	scalars := must(must(scalar.New(scalar.Options{CompileOptions: options})).Infer(ctx, scalar.Inputs{
		X: make([]float32, scalar.InputXLen), Y: nil, YShape: ir.Shape{0}, Shape: []int64{7}, ShapeShape: ir.Shape{1}}))
	scalars.X[0] = 1.5
	fmt.Println(len(odd.Compiled().Inputs()), scalars.X, scalars.Y, scalars.Shape, scalars.ShapeShape)

	counter := must(state.New(state.Options{CompileOptions: options}))
	session := counter.NewSession()
	ones := make([]float32, state.InputIn0Len)
	for i := range ones {
		ones[i] = 1
	}
	run := func(infer func(context.Context, state.Inputs) (*state.Outputs, error)) float32 {
		return must(infer(ctx, state.Inputs{In0: ones, In1: ones})).Out0[0]
	}
	fmt.Println(run(counter.Infer), run(counter.Infer), run(session.Infer), run(session.Infer), run(session.Infer))
	if err := session.Reset(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(run(session.Infer), run(counter.Infer))
}
`

// embedModel writes a package, whose Go file must be formatted.
func embedModel(t *testing.T, path, dir string, args ...string) string {
	t.Helper()
	got := vinoir("", append([]string{"embed", path, "-o", dir}, args...)...)
	require.Equal(t, exitGood, got.code, got)
	code := readText(t, filepath.Join(dir, embedGo))
	formatted, err := format.Source([]byte(code))
	require.NoError(t, err, code)
	assert.Equal(t, string(formatted), code)
	assert.NotContains(t, code, "\n//go:embed /")
	if filepath.Ext(path) == ".xml" {
		assert.Equal(t, readText(t, path), readText(t, filepath.Join(dir, embedXML)))
	}
	return code
}

// TestEmbed_cases writes the package of one case of every second layer type.
func TestEmbed_cases(t *testing.T) {
	paths, err := filepath.Glob(testCase("*", "*", "model.xml"))
	require.NoError(t, err)
	byFolder := make(map[string]string) // the cases of a layer type are alike
	for _, path := range paths {
		byFolder[filepath.Dir(filepath.Dir(path))] = path
	}
	written, dir := 0, t.TempDir()
	for i, folder := range slices.Sorted(maps.Keys(byFolder)) {
		path := byFolder[folder]
		if i%2 > 0 || vinoir("", "info", path, "--plan").code == exitFault || strings.Contains(path, "bad") {
			continue // the last is a case of a fault
		}
		embedModel(t, path, filepath.Join(dir, fmt.Sprint(i)))
		written++
	}
	assert.Greater(t, written, 20)
}

// TestEmbed_replace writes a package again, and over files that embed has not written.
func TestEmbed_replace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "Scatter-Sum")
	code := embedModel(t, messages, dir)
	assert.Contains(t, code, "\npackage scattersum\n")
	assert.Equal(t, code, embedModel(t, messages, dir))
	assert.Contains(t, embedModel(t, messages, dir, "--package", "sums"), "\npackage sums\n")
	assert.Equal(t, readText(t, strings.TrimSuffix(messages, "xml")+"bin"), readText(t, filepath.Join(dir, embedBin)))
	list := decode[embedding](t, vinoir("", "embed", messages, "-o", dir, "--json"))
	assert.Equal(t, []string{filepath.Join(dir, embedXML), filepath.Join(dir, embedBin), filepath.Join(dir, embedGo)}, list.Files)
	assert.Contains(t, list.Families, "github.com/vinoir/vinoir/ops/gather")

	embedModel(t, filepath.Join(dir, embedXML), dir) // its own source
	got := vinoir("", "embed", dir, "-o", filepath.Join(t.TempDir(), "copy"))
	assert.Equal(t, exitGood, got.code, "a directory stands for its model: %v", got)

	require.NoError(t, os.WriteFile(filepath.Join(dir, embedGo), []byte("package sums\n"), 0o600))
	for _, name := range []string{embedXML, embedBin, embedGo} {
		got := vinoir("", "embed", messages, "-o", dir)
		assert.Equal(t, exitFault, got.code, got)
		assert.Contains(t, got.stderr, name+" is there, and vinoir embed has not written it: choose another folder with -o")
		require.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	embedModel(t, messages, dir)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 3, "no temporary files")

	// A model.xml of the caller is not replaced by another, but gets its code beside it.
	mine := filepath.Join(t.TempDir(), "model.xml")
	require.NoError(t, os.WriteFile(mine, []byte(inputModel(1, "u8", "2")), 0o600))
	assert.Contains(t, vinoir("", "embed", messages, "-o", filepath.Dir(mine)).stderr, "model.xml is there")
	embedModel(t, mine, filepath.Dir(mine))
}

// TestEmbed_example writes the package of examples/embedded.
func TestEmbed_example(t *testing.T) {
	example, dir := filepath.Join("..", "..", "examples", "embedded", "messages"), filepath.Join(t.TempDir(), "messages")
	embedModel(t, messages, dir)
	for _, name := range []string{embedGo, embedXML, embedBin} {
		assert.Equal(t, readText(t, filepath.Join(example, name)), readText(t, filepath.Join(dir, name)), "%s: run go generate in examples/embedded", name)
	}
}

func TestEmbed_links(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(other, []byte("other"), 0o600))
	out := filepath.Join(dir, "out")
	embedModel(t, messages, out)
	for _, name := range []string{embedXML, embedBin, embedGo} {
		require.NoError(t, os.Remove(filepath.Join(out, name)))
		if err := os.Symlink("../other", filepath.Join(out, name)); err != nil {
			t.Skipf("NOT TESTED: %v", err)
		}
		_ = vinoir("", "embed", messages, "-o", out)
		assert.Equal(t, "other", readText(t, other), "a link is not followed")
	}
}

// TestEmbedPorts checks that the fields are different exported identifiers.
func TestEmbedPorts(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"image", "Image"}, {"input.1", "Input1"}, {"onnx::Add_0", "OnnxAdd0"}, {"6", "Input6"}, {"日本", "Input日本"}, {"", "Input7"}, {"x y-z", "XYZ"},
		{"\"`\n*/", "Input7"}, {"ß", "Inputß"}, {"\xff", "Input7"}, {strings.Repeat("a", 100), "A" + strings.Repeat("a", 39)},
	} {
		assert.Equal(t, tt.want, identifier(tt.name, "Input", 7), "%q", tt.name)
	}
	var ports []plugin.Port
	for _, names := range hostilePorts {
		name, _, _ := strings.Cut(names, "|")
		ports = append(ports, plugin.Port{Name: name, Type: ir.F32, Shape: ir.UnknownRank}, plugin.Port{Name: name + "Shape", Type: ir.F32, Shape: ir.ShapeOf(ir.Dim(1))})
	}
	checkFields(t, ports)
}

// TestLastWords has names of layers, whose ends say what they are.
func TestLastWords(t *testing.T) {
	for _, tt := range []struct {
		name string
		want string
	}{
		{"__module.classifier.1/aten::linear/Add", "linear/Add"}, {"/model.22/Concat_5", "Concat_5"}, {"Result", "Result"}, {"", ""}, {"//", "//"},
		{"a b c/", "b c/"}, {"日 本 x", "本 x"},
	} {
		assert.Equal(t, tt.want, lastWords(tt.name, 2))
	}
	ports := embedPorts("Output", []plugin.Port{{Name: "__module.head.conv/aten::_convolution/Add"}, {Name: "/net/b/Concat", Names: []string{"detected_boxes_of_all_pictures"}}})
	assert.Equal(t, "ConvolutionAdd", ports[0].Field)
	assert.Equal(t, "DetectedBoxesOfAllPictures", ports[1].Field)
}

// checkFields checks the fields of ports.
func checkFields(t *testing.T, ports []plugin.Port) {
	t.Helper()
	seen := make(map[string]bool)
	for _, port := range embedPorts("Input", ports) {
		fields := []string{port.Field}
		if port.isShaped() {
			fields = append(fields, port.Field+"Shape")
		}
		for _, field := range fields {
			assert.True(t, token.IsIdentifier(field) && token.IsExported(field), "%q", field)
			assert.False(t, seen[field], "%q", field)
			seen[field] = true
		}
	}
}

func FuzzEmbedPorts(f *testing.F) {
	f.Add("x", "X", "xShape", "m", "a.xml")
	f.Add("\"\n", "`", "*/", "\u2028", "$1")
	f.Fuzz(func(t *testing.T, a, b, c, model, source string) {
		ports := []plugin.Port{
			{Name: a, Type: ir.F32, Shape: ir.UnknownRank}, {Name: b, Type: ir.F32, Shape: ir.ShapeOf(ir.Dim(1))},
			{Name: c, Type: ir.String, Shape: ir.UnknownRank}, {Name: a, Type: ir.I4, Shape: ir.ShapeOf(ir.Dim(3))},
		}
		checkFields(t, ports)
		code := embedCode{Package: packageName(source), Source: source, Model: model, HasBin: true, Families: []string{"github.com/vinoir/vinoir/ops/parameter"}}
		code.Inputs, code.Outputs = embedPorts("Input", ports), embedPorts("Output", ports)
		formatted, err := format.Source([]byte(code.text()))
		require.NoError(t, err)
		assert.Equal(t, string(formatted), code.text())
		assert.Equal(t, 2, strings.Count(code.text(), "\n//go:embed "))
		assert.Equal(t, -1, strings.IndexFunc(code.text(), func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }))
	})
}

func TestPackageName(t *testing.T) {
	for path, want := range map[string]string{
		"ResNet-18.xml": "resnet18", "a/b/unet.xml": "unet", "18.xml": "model18", "-.xml": "model", "": "model", "type.xml": "typemodel", "main.xml": "mainmodel",
		"init": "initmodel", "x_test.xml": "xtest", "日本.xml": "model", strings.Repeat("a", 300): strings.Repeat("a", 50),
	} {
		assert.Equal(t, want, packageName(path), path)
	}
}
