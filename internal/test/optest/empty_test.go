package optest_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// TestEmpty runs the cases in the tree with inputs that have axes of length 0. Each must give a
// result or an error.
func TestEmpty(t *testing.T) { emptyAll(t, filepath.Join(optest.Root(t), "testdata", "ir")) }

// TestCorpus_empty does the same with the corpus.
func TestCorpus_empty(t *testing.T) { emptyAll(t, filepath.Join(optest.Corpus(t), "ops")) }

func emptyAll(t *testing.T, dir string) {
	core := plugin.NewCore(optest.Registry(t, builtin.Ops()), plugin.Options{MaxTensorBytes: 1 << 26})
	ran := 0
	for _, m := range modelsBelow(t, dir) {
		for _, shapes := range emptyShapes(m.Model) {
			err := runEmpty(core, m.Model, shapes)
			if err == nil {
				ran++
				continue
			}
			assert.False(t, strings.Contains(err.Error(), "BUG"), "%s, inputs %v: %v", m.name, shapes, err)
		}
	}
	require.Greater(t, ran, 100)
}

// emptyShapes returns the shapes of the Parameters with lengths of 0: one axis of one input, and
// all axes of all inputs that have the same length.
func emptyShapes(m *ir.Model) [][]ir.PartialShape {
	var shapes []ir.PartialShape
	for _, p := range m.Parameters {
		shape := ir.AttributesOf(p).PartialShape("shape", ir.UnknownRank)
		if !shape.IsStatic() {
			return nil
		}
		shapes = append(shapes, shape)
	}
	var list [][]ir.PartialShape
	lengths := map[int64]bool{}
	for i, shape := range shapes {
		for axis, d := range shape.Dims() {
			one := slices.Clone(shapes)
			one[i] = withZero(shape, func(at int, _ ir.Dimension) bool { return at == axis })
			list, lengths[d.Min] = append(list, one), true
		}
	}
	for n := range lengths {
		all := slices.Clone(shapes)
		for i := range all {
			all[i] = withZero(all[i], func(_ int, d ir.Dimension) bool { return d.Min == n })
		}
		list = append(list, all)
	}
	return list
}

// withZero returns shape with length 0 for the axes for which empty returns true.
func withZero(shape ir.PartialShape, empty func(axis int, d ir.Dimension) bool) ir.PartialShape {
	dims := slices.Clone(shape.Dims())
	for i, d := range dims {
		if empty(i, d) {
			dims[i] = ir.Dim(0)
		}
	}
	return ir.ShapeOf(dims...)
}

// runEmpty runs model with inputs of the given shapes and elements of 0.
func runEmpty(core *plugin.Core, model *ir.Model, shapes []ir.PartialShape) error {
	options := plugin.CompileOptions{InferenceNumThreads: 1, Reshape: map[string]ir.PartialShape{}}
	for i, p := range model.Parameters {
		options.Reshape[p.Name] = shapes[i]
	}
	compiled, err := core.CompileModel(context.Background(), model, options)
	if err != nil {
		return err
	}
	defer compiled.Close()
	request := compiled.NewInferRequest()
	for i, port := range compiled.Inputs() {
		shape, err := port.Shape.Static()
		if err != nil {
			return err
		}
		input, err := ir.NewTensor(port.Type, shape...)
		if err != nil {
			return err
		}
		if err := request.SetInput(i, input); err != nil {
			return err
		}
	}
	return request.Infer(context.Background())
}
