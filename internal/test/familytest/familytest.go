// Package familytest checks the lists of families of layer types: ops/builtin, ops/extension and
// ops/onnxextension.
package familytest

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
	"github.com/vinoir/vinoir/plugin"
)

// PackageOf returns the name of the package that declares the function f.
func PackageOf(f any) string {
	name := path.Base(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name())
	name, _, _ = strings.Cut(name, ".")
	return name
}

// CheckSorted checks that families are sorted by the names of their packages, and returns these.
func CheckSorted(t testing.TB, families [][]ops.Op) []string {
	t.Helper()
	var listed []string
	for _, family := range families {
		require.NotEmpty(t, family)
		listed = append(listed, PackageOf(family[0].Infer))
	}
	assert.True(t, slices.IsSorted(listed), "the families are sorted: %v", listed)
	return listed
}

// CheckExtension checks the list of the package with the given name: its order, that all types are
// in one of the namespaces, that ops.Extension knows them, and that a registry takes all types,
// which are these and those that programs have beside them.
func CheckExtension(t testing.TB, name string, families [][]ops.Op, all []ops.Op, namespaces ...string) {
	t.Helper()
	CheckSorted(t, families)
	for _, op := range slices.Concat(families...) {
		assert.Contains(t, namespaces, op.Namespace, op.Type)
		assert.Equal(t, "github.com/vinoir/vinoir/ops/"+name, ops.Extension(op.Type, op.Namespace), op.Type)
		assert.Empty(t, ops.Extension(op.Type, "opset15"), op.Type)
	}
	_, err := plugin.NewRegistry(all...)
	assert.NoError(t, err)
}
