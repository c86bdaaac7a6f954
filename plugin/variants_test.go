package plugin_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/npy"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/plugin/passes"
)

// TestCorpusVariants runs every case of testdata/ir, and of the corpus where
// VINOIR_CORPUS names one, in more ways than one: without passes, and with its
// inputs made dynamic, so that shapes are found at run time. All give the same bits.
func TestCorpusVariants(t *testing.T) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	core := plugin.NewCore(registry, plugin.Options{})
	folders := caseFolders(t, filepath.Join("..", "testdata", "ir"))
	if corpus := os.Getenv("VINOIR_CORPUS"); corpus != "" {
		for _, name := range []string{"onnx", "ops", "zoo"} {
			folders = append(folders, caseFolders(t, filepath.Join(corpus, name))...)
		}
	}
	ran := 0
	for _, folder := range folders {
		if runVariants(t, core, folder) {
			ran++
		}
	}
	t.Logf("%d of %d cases ran", ran, len(folders))
	require.Greater(t, ran, 0)
}

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

// slow is how long a case may take to be run in its variants too.
const slow = 5 * time.Second

// runVariants compares the variants with the default; false where that does not
// run, which is for other tests to judge, or is slow.
func runVariants(t *testing.T, core *plugin.Core, folder string) bool {
	model, err := ir.ReadFile(filepath.Join(folder, "model.xml"), ir.ReadOptions{})
	if err != nil {
		return false
	}
	inputs, err := readInputs(model, folder)
	if err != nil {
		return false
	}
	start := time.Now()
	want, err := runCase(core, model, inputs, plugin.CompileOptions{InferenceNumThreads: 1})
	if err != nil || time.Since(start) > slow {
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
	bare.Passes = []passes.Pass{}
	for name, options := range map[string]plugin.CompileOptions{
		"without passes":              {InferenceNumThreads: 1, Passes: []passes.Pass{}},
		"dynamic":                     dynamic,
		"dynamic, without any passes": bare,
	} {
		got, err := runCase(core, model, inputs, options)
		if !assert.NoError(t, err, "%s: %s", folder, name) {
			continue
		}
		for i := range want {
			same := bytes.Equal(want[i].Bytes(), got[i].Bytes()) && slices.Equal(want[i].Strings(), got[i].Strings()) &&
				slices.Equal(want[i].Shape(), got[i].Shape()) && want[i].ElementType() == got[i].ElementType()
			assert.True(t, same, "%s: %s: output %d: %v%v, by default %v%v", folder, name, i,
				got[i].ElementType(), got[i].Shape(), want[i].ElementType(), want[i].Shape())
		}
	}
	return true
}

// readInputs reads the tensors of a case. The files of sub-byte types hold packed
// bytes, of the shape that stands in the model.
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

func runCase(core *plugin.Core, model *ir.Model, inputs []*ir.Tensor, options plugin.CompileOptions) ([]*ir.Tensor, error) {
	compiled, err := core.CompileModel(context.Background(), model, options)
	if err != nil {
		return nil, err
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	for i, tensor := range inputs {
		if err := request.SetInput(i, tensor); err != nil {
			return nil, err
		}
	}
	if err := request.Infer(context.Background()); err != nil {
		return nil, err
	}
	outputs := make([]*ir.Tensor, len(compiled.Outputs()))
	for i := range outputs {
		outputs[i] = request.Output(i)
	}
	return outputs, nil
}
