package builtin

import (
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/familytest"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/extension"
	"github.com/vinoir/vinoir/ops/onnxextension"
	"github.com/vinoir/vinoir/plugin"
)

// all returns the layer types of this package and of those for text and for ONNX files: the tests
// of what all families promise have those too.
func all() []ops.Op { return slices.Concat(Ops(), extension.Ops(), onnxextension.Ops()) }

// TestFamilies compares the list, and those of packages extension and onnxextension, with the
// folders beside this package.
func TestFamilies(t *testing.T) {
	entries, err := os.ReadDir("..")
	require.NoError(t, err)
	var folders []string
	for _, e := range entries {
		if e.IsDir() && !slices.Contains([]string{"builtin", "extension", "internal", "onnxextension"}, e.Name()) {
			folders = append(folders, e.Name())
		}
	}
	listed := familytest.CheckSorted(t, families)
	for _, op := range append(extension.Ops(), onnxextension.Ops()...) {
		listed = append(listed, familytest.PackageOf(op.Infer))
	}
	slices.Sort(listed)
	assert.Equal(t, folders, slices.Compact(listed))
}

// TestFamily compares ops.Family with the families.
func TestFamily(t *testing.T) {
	for _, family := range families {
		for _, op := range family {
			assert.Equal(t, "github.com/vinoir/vinoir/ops/"+familytest.PackageOf(family[0].Infer), ops.Family(op.Type), op.Type)
		}
	}
	assert.Equal(t, "github.com/vinoir/vinoir/ops/unary", ops.Family("RELU"))
	for _, name := range []string{"", "AddUp", "unary", "eltwise"} {
		assert.Empty(t, ops.Family(name), name)
	}
}

// TestTraits has the layer types that others name in their Traits.
func TestTraits(t *testing.T) {
	inserted := map[string]bool{} // the types that only optimizations insert
	for _, op := range Ops() {
		inserted[op.Type] = inserted[op.Type] || op.Namespace == "vinoir"
	}
	linear, recurrent := 0, 0
	for _, op := range Ops() {
		if l := op.Traits.Linear; l != nil {
			linear++
			assert.Less(t, l.Weights, op.Inputs.Min, op.String())
			assert.NotEqual(t, l.In, l.Out, op.String())
			assert.True(t, l.Integers == "" || inserted[l.Integers], "%v: %s", &op, l.Integers)
		}
		if op.Traits.States > 0 {
			recurrent++
			assert.True(t, inserted[op.Type], op.String())
		}
	}
	assert.Equal(t, 7, linear)
	assert.Equal(t, 6, recurrent)
}

func TestOpsRegister(t *testing.T) {
	_, err := plugin.NewRegistry(Ops()...)
	assert.NoError(t, err)
}
