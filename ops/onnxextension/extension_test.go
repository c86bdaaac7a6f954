package onnxextension

import (
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// TestFamilies checks the order of the list, and that all types are in the namespace of vinoir. A
// test of ops/builtin compares both lists with the folders.
func TestFamilies(t *testing.T) {
	var listed []string
	for _, family := range families {
		require.NotEmpty(t, family)
		name := path.Base(runtime.FuncForPC(reflect.ValueOf(family[0].Infer).Pointer()).Name())
		name, _, _ = strings.Cut(name, ".")
		listed = append(listed, name)
		for _, op := range family {
			assert.Equal(t, "vinoir", op.Namespace, op.Type)
		}
	}
	assert.True(t, slices.IsSorted(listed), "the families are sorted: %v", listed)
}

// TestExtension compares ops.Extension with the families.
func TestExtension(t *testing.T) {
	for _, op := range Ops() {
		assert.Equal(t, "github.com/vinoir/vinoir/ops/onnxextension", ops.Extension(op.Type, op.Namespace), op.Type)
		assert.Empty(t, ops.Extension(op.Type, "extension"), op.Type)
	}
	assert.Empty(t, ops.Extension("CachedAttention", "vinoir"))
}

// TestOpsRegister registers the types beside those of OpenVINO.
func TestOpsRegister(t *testing.T) {
	_, err := plugin.NewRegistry(append(builtin.Ops(), Ops()...)...)
	assert.NoError(t, err)
}
