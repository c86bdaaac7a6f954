package optest_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// TestRelaxed makes the input shapes of all cases less precise. The inferred shapes must then
// contain those that are inferred from the original shapes.
func TestRelaxed(t *testing.T) {
	relaxAll(t, filepath.Join(optest.Root(t), "testdata", "ir"))
}

func TestCorpus_relaxed(t *testing.T) {
	for _, folder := range []string{"onnx", "ops", "zoo"} {
		relaxAll(t, filepath.Join(optest.Corpus(t), folder))
	}
}

// relaxAll relaxes the models below dir.
func relaxAll(t *testing.T, dir string) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	assuming := optest.Assuming()
	assuming["Assign"] = "variable_shape must contain all possible shapes of the value"
	models := 0
	for _, m := range modelsBelow(t, dir) {
		whole, err := infer.Propagate(t.Context(), m.Model, registry, nil)
		if err != nil {
			continue // TestCases checks whether that is right
		}
		models++
		for seed := range uint64(4) {
			relax(t, m, registry, assuming, whole, rand.New(rand.NewPCG(seed, 2)))
		}
	}
	require.Positive(t, models)
}

// relax infers m with relaxed input shapes. whole is the result for the original shapes.
func relax(t *testing.T, m namedModel, registry *plugin.Registry, assuming map[string]string, whole *infer.Shapes, rng *rand.Rand) {
	parameters := make(map[*ir.Layer]ir.Fact)
	for _, p := range m.Parameters {
		fact := whole.Outputs(p)[0]
		fact.Shape = relaxed(rng, fact.Shape)
		parameters[p] = fact
	}
	part, err := infer.Propagate(t.Context(), m.Model, registry, parameters)
	if err != nil {
		first := part.Errors()[0]
		assert.Contains(t, assuming, first.Layer.Type, "%s: rejected with relaxed inputs: %v", m.name, first)
		return
	}
	for _, layer := range m.Order {
		if _, ok := assuming[layer.Type]; ok {
			return
		}
		for i, fact := range whole.Outputs(layer) {
			got := part.Outputs(layer)[i].Shape
			if !assert.True(t, holds(got, fact.Shape), "%s: %v output %d is %v, and %v with relaxed inputs", m.name, layer, i, fact.Shape, got) {
				for _, p := range m.Parameters {
					t.Logf("%s: %v", p.Name, parameters[p].Shape)
				}
				return
			}
		}
	}
}

// relaxed returns a random shape that contains shape.
func relaxed(rng *rand.Rand, shape ir.PartialShape) ir.PartialShape {
	if !shape.RankKnown() || rng.IntN(4) == 0 {
		return ir.UnknownRank
	}
	dims := make([]ir.Dimension, shape.Rank())
	for i, d := range shape.Dims() {
		switch rng.IntN(4) {
		case 0:
			d = ir.AnyDim
		case 1:
			if d.IsStatic() {
				d = ir.DimRange(max(0, d.Min-rng.Int64N(3)), d.Max+rng.Int64N(3))
			}
		}
		dims[i] = d
	}
	return ir.ShapeOf(dims...)
}

// holds reports whether whole contains part.
func holds(whole, part ir.PartialShape) bool {
	if !whole.RankKnown() {
		return true
	}
	if !part.RankKnown() || part.Rank() != whole.Rank() {
		return false
	}
	for i, d := range part.Dims() {
		if d.Min < whole.At(i).Min || d.Max > whole.At(i).Max {
			return false
		}
	}
	return true
}

// namedModel is the model of a case.
type namedModel struct {
	*ir.Model
	name, folder string
}

// modelsBelow reads the models of all cases below dir. It fails if one cannot be read that is not
// in a folder bad, or if there is none.
func modelsBelow(t *testing.T, dir string) []namedModel {
	seen := make(map[string]bool)
	var models []namedModel
	for _, c := range optest.Cases(t, nil, dir) {
		if seen[c.Folder] {
			continue
		}
		seen[c.Folder] = true
		m, err := irxml.ReadFile(filepath.Join(c.Folder, "model.xml"), irxml.ReadOptions{})
		if err != nil {
			assert.Equal(t, "bad", filepath.Dir(c.Name), "%s: %v", c.Name, err)
			continue
		}
		t.Cleanup(func() { _ = m.Close() })
		models = append(models, namedModel{m, c.Name, c.Folder})
	}
	require.NotEmpty(t, models, "no model below %s can be read", dir)
	return models
}
