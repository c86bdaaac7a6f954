// Package optest helps tests to run the cases of testdata/ir and of the corpus:
// see package conformance.
package optest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/conformance"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin"
)

// CorpusVariable names the environment variable that says where the corpus is:
// the cases that are too many for the tree.
const CorpusVariable = "VINOIR_CORPUS"

// Cases returns the cases below dir whose names match filter, if not nil. There
// must be some.
func Cases(t *testing.T, filter *regexp.Regexp, dir string) []conformance.Case {
	t.Helper()
	cases, err := conformance.Find(dir, filter)
	require.NoError(t, err)
	require.NotEmpty(t, cases, "no case below %s matches %v", dir, filter)
	return cases
}

// NewRunner returns a Runner with the module's file of exceptions.
func NewRunner(t *testing.T, list []ops.Op) *conformance.Runner {
	t.Helper()
	r, err := conformance.NewRunner(list...)
	require.NoError(t, err)
	r.Exceptions, err = conformance.ReadExceptions(filepath.Join(Root(t), "testdata", "ir", "exceptions.txt"))
	require.NoError(t, err)
	return r
}

// Registry returns a registry of the given layer types.
func Registry(t testing.TB, list []ops.Op) *plugin.Registry {
	t.Helper()
	r, err := plugin.NewRegistry(list...)
	require.NoError(t, err)
	return r
}

// Root returns the folder of the module.
func Root(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		require.NotEqual(t, parent, dir, "no go.mod above the test's folder")
		dir = parent
	}
}

// Assuming returns the layer types of which OpenVINO infers, and so do we, something
// else or nothing where less is known, with what it assumes of them.
func Assuming() map[string]string {
	return map[string]string{
		"Broadcast":         "the least length that the target can have must not be negative",
		"Col2Im":            "the number of lengths in output_size must be known",
		"MulticlassNms":     "the ranks of boxes and scores are known together or not at all",
		"NonMaxSuppression": "scores of an unknown rank count as one class",
		"RandomUniform":     "a shape of an unknown number of lengths is taken to have the most",
		"ReadValue":         "variable_shape has to hold every shape that the value can have",
		"ReverseSequence":   "axes count from the front where the rank is not known",
		"Squeeze":           "axes that may be squeezed are taken to be of length 1",
	}
}
