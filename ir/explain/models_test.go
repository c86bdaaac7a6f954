package explain_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/explain"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
)

// TestExplainModels changes the lengths of the inputs of models one by one. If a dim of a layer
// changes, the length must be among its causes.
func TestExplainModels(t *testing.T) {
	patterns := []string{"../../testdata/ir/*/*/model.xml"}
	if root := optest.CorpusIfSet(t); root != "" {
		patterns = append(patterns, filepath.Join(root, "zoo", "*", "model.xml"), filepath.Join(root, "ops", "*", "model.xml"))
	}
	registry := optest.Registry(t, builtin.Ops())
	dims, missed := 0, 0
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, path := range paths {
			m, err := irxml.ReadFile(path, irxml.ReadOptions{})
			if err != nil {
				continue
			}
			shapes, err := infer.Propagate(t.Context(), m, registry, nil)
			if err != nil {
				continue
			}
			for _, p := range m.Parameters {
				shape := shapes.Outputs(p)[0].Shape
				for j, d := range shape.Dims() {
					other := append([]ir.Dimension(nil), shape.Dims()...)
					other[j] = ir.Dim(2*d.Min + 8)
					// Package reshape would also change constants of the model.
					fact := ir.Fact{Type: shapes.Outputs(p)[0].Type, Shape: ir.ShapeOf(other...)}
					reshaped, err := infer.Propagate(t.Context(), m, registry, map[*ir.Layer]ir.Fact{p: fact})
					if err != nil {
						continue
					}
					for i, layer := range m.Order {
						if len(m.Order) > 100 && i%50 != 0 {
							continue // of a large model, one layer in fifty is enough
						}
						before, after := shapes.Outputs(layer)[0].Shape, reshaped.Outputs(layer)[0].Shape
						if before.Rank() != after.Rank() {
							continue
						}
						e, err := explain.Output(t.Context(), m, registry, shapes, layer, 0)
						require.NoError(t, err)
						for k, d := range before.Dims() {
							if d == after.At(k) {
								continue
							}
							dims++
							if !comesFrom(e.Dims[k], p, j) {
								missed++
								t.Logf("%s: %v: dim %d is %v, and %v where %q has %v\n%v", path, layer, k, d, after.At(k), p.Name, ir.ShapeOf(other...), e)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d of %d dims lack the cause", missed, dims)
	assert.Positive(t, dims)
	assert.LessOrEqual(t, missed, dims/1000)
}

// comesFrom reports whether dim j of Parameter p is among the causes of o. It also reports true
// if a cause was not followed.
func comesFrom(o *explain.Origin, p *ir.Layer, j int) bool {
	seen := map[*explain.Origin]bool{}
	for list := []*explain.Origin{o}; len(list) > 0; list = list[1:] {
		o := list[0]
		if seen[o] {
			continue
		}
		seen[o] = true
		if o.Source == explain.SourceCut || o.Layer == p && (o.Aspect != explain.AspectDim || o.Index == j) {
			return true
		}
		for i := range o.Causes {
			list = append(list, o.Causes[i].Origin)
		}
	}
	return false
}
