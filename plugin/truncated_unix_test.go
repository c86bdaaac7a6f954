//go:build unix

package plugin

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
)

// truncated is the end of the error of a model whose .bin is mapped and has been truncated.
const truncated = "cannot be read: the file that is mapped there has become shorter"

// mapped writes a model with two constants, and reads it with its .bin mapped. truncate truncates
// the .bin.
func mapped(t *testing.T, registry *Registry) (model *ir.Model, truncate func()) {
	t.Helper()
	constant := func(shape ...int) *ir.Tensor {
		c, err := ir.NewTensor(ir.F32, shape...)
		require.NoError(t, err)
		for i := range ir.Data[float32](c) {
			ir.Data[float32](c)[i] = float32(i % 7)
		}
		return c
	}
	b := edit.NewBuilder(background, registry, "mapped")
	x := b.Parameter("x", ir.F32, ir.StaticShape(64, 1024))
	x = b.Layer("MatMul", 1, nil, x, b.Constant(constant(1024, 512)))
	b.Result("y", b.Layer("Tile", 1, nil, x, b.ConstantOf([]int64{16, 1})))
	b.Result("z", b.Layer("Maximum", 1, nil, b.Parameter("w", ir.F32, ir.StaticShape(2, 1)), b.Constant(constant(2, 1<<19))))
	m, err := b.Model()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "m.xml")
	require.NoError(t, irxml.WriteFile(background, path, m, irxml.WriteOptions{}))
	model, err = irxml.ReadFile(path, irxml.ReadOptions{MMap: true})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, model.Close()) })
	return model, func() { require.NoError(t, os.Truncate(filepath.Join(filepath.Dir(path), "m.bin"), 10)) }
}

// TestTruncated truncates the .bin of a model while it is mapped. On all threads, the fault must
// become an error.
func TestTruncated(t *testing.T) {
	registry, err := NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	core := NewCore(registry, Options{})
	for _, threads := range []int{1, 3} {
		model, truncate := mapped(t, registry)
		compiled, err := core.CompileModel(background, model, CompileOptions{InferenceNumThreads: threads})
		require.NoError(t, err)
		defer compiled.Close()
		request := compiled.NewInferRequest()
		for i, in := range compiled.Inputs() {
			shape, err := in.Shape.Static()
			require.NoError(t, err)
			x, err := ir.NewTensor(ir.F32, shape...)
			require.NoError(t, err)
			require.NoError(t, request.SetInput(i, x))
		}
		require.NoError(t, request.Infer(background))
		truncate()
		require.ErrorContains(t, request.Infer(background), truncated)
		require.NoError(t, request.StartAsync(background))
		require.ErrorContains(t, request.Wait(background), truncated)

		_, err = core.CompileModel(background, model, CompileOptions{InferenceNumThreads: threads})
		require.ErrorContains(t, err, truncated)
		assert.NotContains(t, err.Error(), "BUG")
		require.ErrorContains(t, irxml.Write(background, io.Discard, new(bytes.Buffer), model, irxml.WriteOptions{}), truncated)
	}
}
