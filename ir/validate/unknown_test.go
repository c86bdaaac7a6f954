package validate_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
)

// TestValidateWithoutBin infers models with and without their .bin. No shape that is inferred
// without it may be wrong, and the shapes of layers that are not reported as unknown must be
// the same.
func TestValidateWithoutBin(t *testing.T) {
	folders := []string{"../../testdata/ir/*"}
	if root := optest.CorpusIfSet(t); root != "" {
		for _, folder := range []string{"onnx", "ops", "zoo"} {
			folders = append(folders, filepath.Join(root, folder))
		}
	}
	registry := optest.Registry(t, builtin.Ops())
	layers, unknown, needless, assumed, open := 0, 0, 0, 0, 0
	for _, folder := range folders {
		paths, err := filepath.Glob(filepath.Join(folder, "*", "model.xml"))
		require.NoError(t, err)
		require.NotEmpty(t, paths, folder)
		for _, path := range paths {
			with, err := irxml.ReadFile(path, irxml.ReadOptions{})
			if err != nil {
				continue
			}
			whole := irtest.Validate(t, with, registry)
			if whole.Errors() > 0 {
				continue
			}
			assert.Empty(t, whole.Unknown, path)
			without, err := irxml.ReadFile(path, irxml.ReadOptions{NoBin: true})
			require.NoError(t, err, path)
			partial := irtest.Validate(t, without, registry)
			assert.Zero(t, partial.Errors(), path)
			assert.LessOrEqual(t, stalePorts(partial), stalePorts(whole), path)
			assuming, err := validate.ModelWith(t.Context(), without, registry, validate.Options{AssumeDeclared: true})
			require.NoError(t, err, path)
			assumed, open = assumed+len(assuming.Assumed), open+len(assuming.Unknown)
			if whole.Count(validate.SeverityWarning) == 0 {
				checkAssumed(t, path, with, without, whole, assuming)
			}
			for i, layer := range with.Order {
				other := without.Order[i]
				isUnknown := slices.Contains(partial.Unknown, other)
				same := true
				for k, fact := range whole.Shapes.Outputs(layer) {
					found := partial.Shapes.Outputs(other)[k]
					assert.True(t, fact.Type == found.Type || isUnknown && found.Type == ir.Dynamic, "%s: %v", path, layer)
					assert.True(t, found.Shape.Contains(fact.Shape), "%s: %v: %v without the .bin, %v with it", path, layer, found.Shape, fact.Shape)
					same = same && found.Shape.Equal(fact.Shape)
				}
				assert.True(t, same || isUnknown, "%s: %v: %v without the .bin, %v with it", path, layer,
					partial.Shapes.Outputs(other)[0].Shape, whole.Shapes.Outputs(layer)[0].Shape)
				layers++
				if isUnknown {
					unknown++
				}
				if same && isUnknown {
					needless++
				}
			}
		}
	}
	t.Logf("%d of %d layers are unknown without the .bin, %d of them needlessly", unknown, layers, needless)
	t.Logf("%d layers have dims from the file, %d are still unknown", assumed, open)
	assert.Less(t, unknown, layers/2)
	assert.Less(t, open, unknown/2)
}

// checkAssumed checks a report about a model without its .bin, in whose file no dims are stale.
// There is nothing to find, and the shapes must contain those with the .bin.
func checkAssumed(t *testing.T, path string, with, without *ir.Model, whole, assuming *validate.Report) {
	for i := range assuming.Findings {
		f := &assuming.Findings[i]
		assert.Equal(t, validate.SeverityNote, f.Severity, "%s: %v", path, f)
	}
	for i, layer := range with.Order {
		other := without.Order[i]
		for k, fact := range whole.Shapes.Outputs(layer) {
			found := assuming.Shapes.Outputs(other)[k]
			assert.True(t, found.Shape.Contains(fact.Shape), "%s: %v: %v assumed, %v with the .bin", path, layer, found.Shape, fact.Shape)
		}
	}
}

// stalePorts counts the findings about declared types and dims.
func stalePorts(r *validate.Report) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Fixable() {
			n++
		}
	}
	return n
}
