package plugin_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// TestLayerTypes compiles models with all families, and again with those of LayerTypes only: the
// optimizations must do the same.
func TestLayerTypes(t *testing.T) {
	all, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	folders := caseFolders(t, filepath.Join("..", "testdata", "ir"))
	if testing.Short() {
		folders = folders[:100]
	}
	if corpus := optest.CorpusIfSet(t); corpus != "" {
		folders = append(folders, caseFolders(t, filepath.Join(corpus, "zoo"))...)
		folders = append(folders, caseFolders(t, filepath.Join(corpus, "quant"))...)
	}
	compiled, inserted := 0, 0
	for _, folder := range folders {
		model, err := irxml.ReadFile(filepath.Join(folder, "model.xml"), irxml.ReadOptions{})
		if err != nil {
			continue // a case of a bad file
		}
		want, wantTypes, err := compiledGraph(model, all)
		if err != nil {
			continue
		}
		families := make(map[string]bool)
		for _, name := range wantTypes {
			require.NotEmpty(t, ops.Family(name), name)
			families[ops.Family(name)] = true
		}
		few, err := plugin.NewRegistry(slices.DeleteFunc(builtin.Ops(), func(op ops.Op) bool { return !families[ops.Family(op.Type)] })...)
		require.NoError(t, err)
		got, gotTypes, err := compiledGraph(model, few)
		require.NoError(t, err, folder)
		assert.Equal(t, want, got, folder)
		assert.Equal(t, wantTypes, gotTypes, folder)
		for layer := range model.AllLayers() {
			assert.Contains(t, wantTypes, layer.Type, folder)
		}
		compiled++
		if slices.ContainsFunc(wantTypes, func(name string) bool { return !hasType(model, name) }) {
			inserted++
		}
	}
	t.Logf("%d of %d models compiled, %d with inserted types", compiled, len(folders), inserted)
	assert.Greater(t, compiled, 50)
	assert.Greater(t, inserted, 0)
}

// compiledGraph returns the types of the layers after each pass on model, and LayerTypes.
func compiledGraph(model *ir.Model, registry *plugin.Registry) (graph, types []string, err error) {
	core := plugin.NewCore(registry, plugin.Options{})
	core.CheckPasses(func(pass string, m *ir.Model) {
		graph = append(graph, pass)
		for _, layer := range m.Order {
			graph = append(graph, layer.Type)
		}
	})
	compiled, err := core.CompileModel(context.Background(), model, plugin.CompileOptions{})
	if err != nil {
		return nil, nil, err
	}
	defer compiled.Close()
	return graph, compiled.LayerTypes(), nil
}

// hasType reports whether a layer of m has the given type.
func hasType(m *ir.Model, name string) bool {
	for layer := range m.AllLayers() {
		if layer.Type == name {
			return true
		}
	}
	return false
}
