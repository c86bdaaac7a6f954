// Package optest runs the cases of testdata/ir and of the corpus in tests: see package
// conformance.
package optest

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin"
)

// CorpusVariable is the environment variable with the path of the corpus: cases that are too
// many for the tree.
const CorpusVariable = "VINOIR_CORPUS"

// Corpus returns the folder of the corpus. It skips the test if CorpusVariable is not set: a test
// of the corpus must not pass without it.
func Corpus(t testing.TB) string {
	t.Helper()
	dir := CorpusIfSet(t)
	if dir == "" {
		t.Skip("SKIPPED: " + CorpusVariable + " is not set")
	}
	return dir
}

// CorpusIfSet returns the folder of the corpus, or "" if CorpusVariable is not set. It fails if the
// variable names a folder without any cases.
func CorpusIfSet(t testing.TB) string {
	t.Helper()
	dir := os.Getenv(CorpusVariable)
	if dir == "" {
		return ""
	}
	for _, folder := range []string{"bad", "kernels", "onnx", "ops", "zoo"} {
		if entries, _ := os.ReadDir(filepath.Join(dir, folder)); len(entries) > 0 {
			return dir
		}
	}
	t.Fatalf("%s: %s has no folder with cases", CorpusVariable, dir)
	return ""
}

// Cases returns the cases below dir or, if filter is not nil, those with matching names; finders
// know further kinds. It fails if there are none.
func Cases(t *testing.T, filter *regexp.Regexp, dir string, finders ...conformance.Finder) []conformance.Case {
	t.Helper()
	cases, err := conformance.Find(dir, filter, finders...)
	require.NoError(t, err)
	require.NotEmpty(t, cases, "no case below %s matches %v", dir, filter)
	return cases
}

// Check runs cases, each as a test. All must pass.
func Check(t *testing.T, r *conformance.Runner, cases []conformance.Case) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			result := r.Run(t.Context(), c)
			require.Equal(t, conformance.Passed, result.Outcome, result.Message)
		})
	}
}

// NewRunner returns a Runner for the given layer types, with the exceptions in testdata/ir.
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

// Root returns the root folder of the module.
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

// Assuming returns the layer types whose shape rule, as in OpenVINO, makes assumptions if
// shapes are not fully known, so that the inferred shape may be wrong or an error. The values
// are the assumptions.
func Assuming() map[string]string {
	return map[string]string{
		"Broadcast":         "the smallest possible length of the target must not be negative",
		"Col2Im":            "the number of elements of output_size must be known",
		"MulticlassNms":     "the ranks of boxes and scores are both known or both unknown",
		"NonMaxSuppression": "scores of an unknown rank count as one class",
		"RandomUniform":     "a shape with an unknown number of elements has the largest possible number",
		"ReadValue":         "variable_shape must contain all possible shapes of the value",
		"ReverseSequence":   "axes count from the front if the rank is unknown",
		"Squeeze":           "axes that may be squeezed have length 1",
	}
}
