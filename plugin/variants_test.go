package plugin_test

import (
	"bytes"
	"context"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// TestCorpusVariants runs every case of testdata/ir and of the corpus in VINOIR_CORPUS, if it is
// set, in several variants: without optimizations, without each single optimization if the case is
// fast, and with dynamic input shapes. All variants must compute the same outputs, except for the
// rounding of floats. After every pass, edit.Check must accept the graph.
func TestCorpusVariants(t *testing.T) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	core := plugin.NewCore(registry, plugin.Options{})
	core.CheckPasses(func(pass string, m *ir.Model) { assert.NoError(t, edit.Check(m), "after %s", pass) })
	folders := caseFolders(t, filepath.Join("..", "testdata", "ir"))
	if corpus := optest.CorpusIfSet(t); corpus != "" {
		for _, name := range []string{"onnx", "ops", "zoo"} {
			folders = append(folders, caseFolders(t, filepath.Join(corpus, name))...)
		}
	}
	ran := 0
	for i, folder := range folders {
		if testing.Short() && i%4 > 0 {
			continue
		}
		if runVariants(t, core, folder) {
			ran++
		}
	}
	t.Logf("%d of %d cases ran", ran, len(folders))
	require.Greater(t, ran, 0)
}

// caseFolders returns the folders below root that contain a model.xml.
func caseFolders(t *testing.T, root string) (folders []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "model.xml" {
			folders = append(folders, filepath.Dir(path))
		}
		return err
	}))
	return folders
}

// A case of more work than slow is skipped. A case of less work than fast also runs without each
// single optimization. The unit is an operation on a float or a byte of a tensor, about a
// nanosecond or less.
const (
	slow = 5e10
	fast = 1e7
)

// runVariants compares the variants of a case with the default options. It returns false if the
// case does not run with these, which other tests report, or if it is slow.
func runVariants(t *testing.T, core *plugin.Core, folder string) bool {
	model, err := irxml.ReadFile(filepath.Join(folder, "model.xml"), irxml.ReadOptions{})
	if err != nil {
		return false
	}
	inputs, err := readInputs(model, folder)
	if err != nil {
		return false
	}
	want, work, err := runCase(core, model, inputs, plugin.CompileOptions{InferenceNumThreads: 1, EnableProfiling: true})
	if err != nil || work > slow {
		return false
	}
	dynamic := plugin.CompileOptions{InferenceNumThreads: 1, Reshape: map[string]ir.PartialShape{}}
	for _, p := range model.Parameters {
		shape, err := ir.ParsePartialShape(ir.AttributesOf(p).String("shape", ""))
		if err != nil || !shape.RankKnown() {
			continue
		}
		dynamic.Reshape[p.Name] = ir.ShapeOfRank(shape.Rank())
	}
	bare := dynamic
	bare.Disable = plugin.Optimizations()
	variants := map[string]plugin.CompileOptions{
		"without passes": {InferenceNumThreads: 1, Disable: plugin.Optimizations()},
	}
	// The file states the shape of a variable, which does not change with the shapes of the inputs.
	// Col2Im needs inputs of known lengths, as in OpenVINO.
	if !slices.ContainsFunc(model.Order, func(layer *ir.Layer) bool { return layer.Type == "ReadValue" || layer.Type == "Col2Im" }) {
		variants["dynamic"], variants["dynamic, without any passes"] = dynamic, bare
	}
	for _, optimization := range plugin.Optimizations() {
		if work < fast {
			variants["without "+string(optimization)] = plugin.CompileOptions{InferenceNumThreads: 1, Disable: []plugin.Optimization{optimization}}
		}
	}
	for name, options := range variants {
		got, _, err := runCase(core, model, inputs, options)
		if !assert.NoError(t, err, "%s: %s", folder, name) {
			continue
		}
		for i := range want {
			same := isSame(want[i], got[i])
			assert.True(t, same, "%s: %s: output %d: %v%v, by default %v%v", folder, name, i,
				got[i].ElementType(), got[i].Shape(), want[i].ElementType(), want[i].Shape())
		}
	}
	return true
}

// isSame reports whether two tensors have equal types, shapes and elements. Floats may differ by
// the rounding of passes that compute in another order, or in f32 instead of f16 and bf16.
func isSame(a, b *ir.Tensor) bool {
	if a.ElementType() != b.ElementType() || !slices.Equal(a.Shape(), b.Shape()) || !slices.Equal(a.Strings(), b.Strings()) {
		return false
	}
	tolerance := 0.0
	switch a.ElementType() {
	case ir.F32:
		tolerance = 1e-5
	case ir.F16:
		tolerance = 1.0 / (1 << 9) // 2 ULP of 1
	case ir.BF16:
		tolerance = 1.0 / (1 << 6)
	}
	if tolerance == 0 || bytes.Equal(a.Bytes(), b.Bytes()) {
		return bytes.Equal(a.Bytes(), b.Bytes())
	}
	x, y := floats(a), floats(b)
	largest := 1.0
	for _, v := range x {
		if v := math.Abs(v); v > largest && !math.IsInf(v, 1) {
			largest = v
		}
	}
	for i, v := range x {
		if v != y[i] && !(v != v && y[i] != y[i]) && !(math.Abs(v-y[i]) <= tolerance*largest) {
			return false
		}
	}
	return true
}

// floats returns the elements of a tensor of f32, f16 or bf16.
func floats(t *ir.Tensor) []float64 {
	values := make([]float64, t.Len())
	for i := range values {
		switch t.ElementType() {
		case ir.F32:
			values[i] = float64(ir.Data[float32](t)[i])
		case ir.F16:
			values[i] = float64(half.F16ToF32(ir.Data[uint16](t)[i]))
		case ir.BF16:
			values[i] = float64(half.BFloat16(ir.Data[uint16](t)[i]).Float32())
		}
	}
	return values
}

// readInputs reads the input tensors of a case. For element types smaller than a byte, the files
// contain packed bytes, and the shape is that of the model.
func readInputs(model *ir.Model, folder string) ([]*ir.Tensor, error) {
	var inputs []*ir.Tensor
	for i, p := range model.Parameters {
		attributes := ir.AttributesOf(p)
		t := attributes.ElementType("element_type", ir.Dynamic)
		var shape ir.Shape
		if t.Bits()%8 != 0 {
			var err error
			if shape, err = attributes.PartialShape("shape", ir.PartialShape{}).Static(); err != nil {
				return nil, err
			}
		}
		array, err := npy.ReadFile(filepath.Join(folder, "in", strconv.Itoa(i)+".npy"))
		if err != nil {
			return nil, err
		}
		tensor, err := array.Tensor(t, shape)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, tensor)
	}
	return inputs, nil
}

// runCase compiles a model with the given options, and returns the outputs of one inference. If
// EnableProfiling is set, it also returns the work that the layers report.
func runCase(core *plugin.Core, model *ir.Model, inputs []*ir.Tensor, options plugin.CompileOptions) (outputs []*ir.Tensor, work float64, err error) {
	compiled, err := core.CompileModel(context.Background(), model, options)
	if err != nil {
		return nil, 0, err
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	for i, tensor := range inputs {
		if err := request.SetInput(i, tensor); err != nil {
			return nil, 0, err
		}
	}
	if err := request.Infer(context.Background()); err != nil {
		return nil, 0, err
	}
	for _, info := range request.ProfilingInfo() {
		work += info.Flops + float64(info.Bytes)
	}
	outputs = make([]*ir.Tensor, len(compiled.Outputs()))
	for i := range outputs {
		outputs[i] = request.Output(i)
	}
	return outputs, work, nil
}
