// Package layout tests the imports of the packages of this module.
package layout

import (
	"os/exec"
	"path"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/vinoir/vinoir"

// imports lists patterns of packages. For each pattern, it lists patterns of the packages of this
// module that these packages may import, except in tests. The first pattern that matches a package
// applies. In a pattern, * matches one element of a path, and ... at the end matches any number of
// elements.
var imports = []struct {
	packages string
	may      []string
}{
	{"ir", []string{"internal/*"}},
	{"ir/edit", []string{"ir", "ir/infer", "internal/*"}},
	{"ir/infer", []string{"ir"}},
	{"ir/irxml", []string{"ir", "ir/edit", "ir/infer", "internal/*"}},
	// The stages of reading ONNX files: each imports only those before it.
	{"ir/onnx/internal/wire", []string{"internal/*"}},
	{"ir/onnx/internal/proto", []string{"ir/onnx/internal/wire"}},
	{"ir/onnx/internal/tensors", []string{"ir", "ir/onnx/internal/proto", "internal/*"}},
	{"ir/onnx/internal/convert", []string{"ir", "ir/edit", "ir/infer", "ir/onnx/internal/proto", "ir/onnx/internal/tensors", "internal/*"}},
	{"ir/onnx/internal/check", []string{"ir", "ir/onnx/internal/*", "internal/*"}},
	{"ir/onnx/internal/arithmetic", []string{"ir", "ir/onnx/internal/convert"}},
	{"ir/onnx/internal/operators", []string{"ir/onnx/internal/convert", "ir/onnx/internal/operators/*"}},
	{"ir/onnx/internal/operators/*", []string{"ir", "ir/infer", "ir/onnx/internal/arithmetic", "ir/onnx/internal/convert", "ir/onnx/internal/operators/*", "internal/*"}},
	{"ir/onnx/internal/onnxtest", []string{"ir", "ir/infer", "ir/onnx/internal/*", "ops/builtin", "ops/onnxextension", "plugin", "internal/*"}},
	{"ir/onnx", []string{"ir", "ir/infer", "ir/validate", "ir/onnx/internal/*", "internal/*"}},
	{"ir/reshape", []string{"ir", "ir/edit", "ir/infer"}},
	{"ir/validate", []string{"ir", "ir/infer"}},
	{"ir/explain", []string{"ir", "ir/infer", "internal/*"}},
	{"ir/diff", []string{"ir", "ir/infer", "internal/*"}},
	{"ir/npy", []string{"ir", "internal/*"}},
	{"preprocess", []string{"ir", "internal/*"}},
	{"ops", []string{"ir", "ir/infer", "internal/*"}},
	{"ops/builtin", []string{"ops", "ops/*"}},
	// What passes need to change a graph, and those that make layers of a family, which lists them.
	{"internal/rewrite", []string{"ir", "ir/*", "ops", "internal/*"}},
	{"ops/internal/passes/*", []string{"ir", "ir/*", "ops", "ops/internal/passes/*", "internal/*", "internal/conv/*", "internal/gemm/*"}},
	{"ops/extension", []string{"ops", "ops/*"}},
	{"ops/onnxextension", []string{"ops", "ops/*"}},
	{"ops/internal/*", []string{"ir", "ir/infer", "ops", "ops/internal/*", "internal/*", "internal/conv/*", "internal/gemm/*", "internal/text/*"}},
	// ConvertPromoteTypes is a Convert of each input.
	{"ops/convertpromotetypes", []string{"ir", "ops", "ops/convert", "ops/internal/*", "internal/*"}},
	{"ops/*", []string{"ir", "ir/infer", "ops", "ops/internal/*", "ops/internal/passes/*", "internal/*", "internal/conv/*", "internal/gemm/*", "internal/text/*"}},
	// The stages of the plugin: each imports only those before it.
	{"plugin/internal/control", []string{"ir", "internal/*"}},
	{"plugin/internal/memory", []string{"ir", "ops", "plugin/internal/control", "internal/*"}},
	{"plugin/internal/graph", []string{"ir", "ir/*", "ops", "plugin/internal/control", "plugin/internal/memory", "internal/*"}},
	{"plugin/internal/passes", []string{"ir", "ir/*", "ops", "internal/*"}},
	{"plugin/internal/plan", []string{"ir", "ir/*", "ops", "plugin/internal/control", "plugin/internal/memory", "plugin/internal/graph", "internal/*"}},
	{"plugin/internal/run", []string{"ir", "ir/*", "ops", "plugin/internal/control", "plugin/internal/memory", "plugin/internal/graph", "plugin/internal/plan", "internal/*"}},
	{"plugin/...", []string{"ir", "ir/*", "ops", "plugin/...", "internal/*", "internal/conv/*", "internal/gemm/*"}},
	{"internal/test/exampletest", []string{"..."}},
	{"internal/test/differential", []string{"..."}},
	{"internal/test/textdifferential", []string{"text"}},
	{"internal/test/stress", []string{"..."}},
	{"internal/test/...", []string{"ir", "ir/*", "ops", "plugin", "internal/*", "internal/test/...", "internal/text/*"}},
	// A plan of a convolution imports no other plan.
	{"internal/conv/*", []string{"internal/*", "internal/conv/lines", "internal/conv/magnitude", "internal/gemm/*"}},
	{"internal/gemm/pack", []string{"internal/*"}},
	{"internal/gemm/tile", []string{"internal/*", "internal/gemm/pack"}},
	// The command and internal/test/optest run cases by it.
	{"internal/conformance", []string{"ir", "ir/*", "ops", "plugin", "internal/*", "internal/conformance/textcorpus"}},
	{"internal/conformance/textcorpus", []string{"internal/*"}},
	{"internal/conformance/textcases", []string{"embedding", "generate", "ir", "ir/*", "text", "text/*", "internal/*", "internal/conformance/textcorpus"}},
	{"internal/conformance/onnxcases", []string{"ir", "ir/*", "plugin", "internal/*"}},
	{"internal/textinput", []string{"ir", "plugin", "internal/*"}},
	{"internal/text/*", []string{"internal/*", "internal/text/*"}},
	{"internal/*", []string{"internal/*", "internal/gemm/*"}},
	{"text/chat", []string{"internal/text/*"}},
	{"text/internal/*", []string{"ir", "ir/*", "internal/*", "internal/text/*"}},
	{"text", []string{"ir", "ir/*", "ops", "ops/*", "plugin", "internal/*", "internal/text/*", "text/internal/*"}},
	// Only these import all families. A program that does not import them links only the families
	// that it lists.
	{".", []string{"internal/regular", "ir", "ir/infer", "ir/irxml", "ops", "ops/builtin", "plugin"}},
	{"generate/internal/paged", []string{"ir", "ops", "internal/*"}},
	{"generate", []string{"ir", "ir/*", "ops", "ops/builtin", "plugin", "text/*", "generate/internal/*", "internal/*"}},
	{"generate/llm", []string{"generate", "ops/builtin", "text", "text/chat"}},
	{"embedding", []string{"ir", "ir/*", "ops", "ops/builtin", "plugin", "text", "internal/*"}},
	{"cmd/...", []string{"..."}},
	{"examples/...", []string{"..."}},
}

// goList runs go list with args. It returns the imports of each package, except those of its tests.
func goList(t *testing.T, args ...string) map[string][]string {
	t.Helper()
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there are no processes")
	}
	args = append([]string{"list", "-f", `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}`}, args...)
	list, err := exec.Command("go", args...).Output()
	require.NoError(t, err)
	imports := make(map[string][]string)
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		imports[fields[0]] = fields[1:]
	}
	return imports
}

// TestImports checks the imports of all packages of this module.
func TestImports(t *testing.T) {
	for importPath, imported := range goList(t, module+"/...") {
		from := local(importPath)
		may, known := allowed(from)
		if !assert.True(t, known, "imports has no pattern for %s", from) {
			continue
		}
		for _, to := range imported {
			if !strings.HasPrefix(to, module) {
				continue
			}
			assert.True(t, matchesAny(may, local(to)), "%s imports %s, but may only import %v", from, local(to), may)
		}
	}
}

// TestLinked checks that the command does not link net/http, and that the library packages do not
// link net. A dependency can import these packages for a function that is never called.
func TestLinked(t *testing.T) {
	for _, c := range []struct {
		unwanted string
		packages []string
	}{
		{"net/http", []string{module + "/cmd/..."}},
		{"net", []string{module + "/ir/...", module + "/ops/...", module + "/plugin/...", module + "/preprocess", module + "/embedding", module + "/generate/...", module + "/text/...", module}},
	} {
		linked := goList(t, append([]string{"-deps"}, c.packages...)...)
		require.NotEmpty(t, linked)
		for importPath, imported := range linked {
			assert.NotContains(t, imported, c.unwanted, "%s imports it, and %v link %[1]s", importPath, c.packages)
		}
	}
}

// local returns the path of a package relative to the module; "." for the root of the module.
func local(importPath string) string {
	return path.Join(".", strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/"))
}

// allowed returns the patterns of the packages that the package from may import. It returns false
// if no pattern in imports matches from.
func allowed(from string) ([]string, bool) {
	for _, rule := range imports {
		if matches(rule.packages, from) {
			return rule.may, true
		}
	}
	return nil, false
}

// matchesAny reports whether name matches at least one of the patterns.
func matchesAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if matches(pattern, name) {
			return true
		}
	}
	return false
}

// matches reports whether name matches pattern.
func matches(pattern, name string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(name+"/", prefix)
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"ir", "ir", true},
		{"ir", "ir/edit", false},
		{"ir/*", "ir/edit", true},
		{"internal/*", "internal/test/optest", false},
		{"plugin/...", "plugin", true},
		{"plugin/...", "plugin/internal/passes", true},
		{"plugin/...", "plugins", false},
		{"...", ".", true},
	} {
		assert.Equal(t, c.want, matches(c.pattern, c.name), "%s %s", c.pattern, c.name)
	}
}
