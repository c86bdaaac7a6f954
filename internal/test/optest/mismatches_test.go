package optest_test

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// TestMismatches runs the cases in the tree with one axis of one input longer or shorter by one, so
// that it no longer fits the other inputs. Each must give a result or an error, never a panic.
func TestMismatches(t *testing.T) {
	core := plugin.NewCore(optest.Registry(t, builtin.Ops()), plugin.Options{MaxTensorBytes: 1 << 26})
	ran, refused := 0, 0
	for _, m := range modelsBelow(t, filepath.Join(optest.Root(t), "testdata", "ir")) {
		for _, shapes := range mismatches(m.Model) {
			err := runOn(core, &m, shapes)
			if err == nil {
				ran++
				continue
			}
			refused++
			assert.NotContains(t, err.Error(), "BUG", "%s, inputs %v", m.name, shapes)
		}
	}
	t.Logf("%d ran, %d were refused", ran, refused)
	require.Greater(t, ran, 100)
	require.Greater(t, refused, 100)
}

// mismatches returns the shapes of the Parameters with one length that is one more, or one less.
func mismatches(m *ir.Model) (list [][]ir.PartialShape) {
	shapes, ok := staticShapes(m)
	if !ok || len(shapes) < 2 && m.Layers[0].Type == "Parameter" && len(m.Layers) < 4 {
		return nil // nothing to disagree with
	}
	for i, shape := range shapes {
		for axis, d := range shape.Dims() {
			for _, n := range []int64{d.Min - 1, d.Min + 1} {
				if n >= 0 {
					one := slices.Clone(shapes)
					one[i] = withLength(shape, n, func(at int, _ ir.Dimension) bool { return at == axis })
					list = append(list, one)
				}
			}
		}
	}
	return list
}

// staticShapes returns the shapes of the Parameters, and whether all are static.
func staticShapes(m *ir.Model) (shapes []ir.PartialShape, ok bool) {
	for _, p := range m.Parameters {
		shape := ir.AttributesOf(p).PartialShape("shape", ir.UnknownRank)
		if !shape.IsStatic() {
			return nil, false
		}
		shapes = append(shapes, shape)
	}
	return shapes, true
}

// withLength returns shape with length n for the axes for which change returns true.
func withLength(shape ir.PartialShape, n int64, change func(axis int, d ir.Dimension) bool) ir.PartialShape {
	dims := slices.Clone(shape.Dims())
	for i, d := range dims {
		if change(i, d) {
			dims[i] = ir.Dim(n)
		}
	}
	return ir.ShapeOf(dims...)
}

// runOn runs a model with inputs of the given shapes, whose elements repeat those of the case.
func runOn(core *plugin.Core, m *namedModel, shapes []ir.PartialShape) error {
	request, done, err := requestOn(core, m, shapes)
	if err != nil {
		return err
	}
	defer done()
	return request.Infer(context.Background())
}

// requestOn returns a request with the inputs of runOn.
func requestOn(core *plugin.Core, m *namedModel, shapes []ir.PartialShape) (r *plugin.InferRequest, done func(), err error) {
	options := plugin.CompileOptions{InferenceNumThreads: 1, Reshape: map[string]ir.PartialShape{}}
	for i, p := range m.Parameters {
		options.Reshape[p.Name] = shapes[i]
	}
	compiled, err := core.CompileModel(context.Background(), m.Model, options)
	if err != nil {
		return nil, nil, err
	}
	r = compiled.NewInferRequest()
	for i, port := range compiled.Inputs() {
		shape, err := port.Shape.Static()
		if err != nil {
			return nil, nil, err
		}
		input, err := ir.NewTensor(port.Type, shape...)
		if err != nil {
			return nil, nil, err
		}
		fill(input, m.folder, i)
		if err := r.SetInput(i, input); err != nil {
			return nil, nil, err
		}
	}
	return r, compiled.Close, nil
}

// repeat fills to with the elements of from, as often as they fit.
func repeat[T any](to, from []T) {
	for len(from) > 0 && len(to) > 0 {
		to = to[copy(to, from):]
	}
}

// fill fills t with the elements of input i of a case, as often as they fit.
func fill(t *ir.Tensor, folder string, i int) {
	array, err := npy.ReadFile(filepath.Join(folder, "in", strconv.Itoa(i)+".npy"))
	if err != nil || t.ElementType().Size() == 0 {
		return
	}
	if from, err := array.Tensor(t.ElementType(), nil); err == nil {
		repeat(t.Bytes(), from.Bytes())
		repeat(t.Strings(), from.Strings())
	}
}
