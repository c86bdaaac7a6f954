package operators_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir/onnx/internal/convert"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators"
)

// versions returns the versions of each operator that ONNX specifies.
func versions(t *testing.T) map[string][]int {
	t.Helper()
	var text []byte
	for _, name := range []string{"versions.txt", "experimental.txt"} {
		data, err := os.ReadFile("testdata/" + name)
		require.NoError(t, err)
		text = append(text, data...)
	}
	all := make(map[string][]int)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, text := range fields[1:] {
			v, err := strconv.Atoi(text)
			require.NoError(t, err)
			all[fields[0]] = append(all[fields[0]], v)
		}
		slices.Sort(all[fields[0]])
	}
	return all
}

// TestRules checks that the rules of an operator have all of its versions: a rule that was written
// for the form of one version would otherwise be used for another.
func TestRules(t *testing.T) {
	rules := operators.Rules()
	_, err := convert.NewTable(rules)
	require.NoError(t, err)
	specified, known := versions(t), make(map[string][]int)
	for _, r := range rules {
		name := r.Operator
		if r.Domain != "" {
			name = r.Domain + ":" + name
		}
		if r.Refusal != "" {
			assert.Empty(t, r.Versions, name)
			continue
		}
		assert.True(t, slices.IsSorted(r.Versions), name)
		assert.NotNil(t, r.Convert, name)
		known[name] = append(known[name], r.Versions...)
	}
	// ONNX Runtime writes these without a domain.
	specified["SimplifiedLayerNormalization"] = []int{1}
	specified["LayerNormalization"] = append([]int{1}, specified["LayerNormalization"]...)
	for name, list := range known {
		slices.Sort(list)
		if want := specified[name]; want != nil {
			assert.Equal(t, want, list, name)
		} else {
			assert.Contains(t, name, ":", "ONNX has no operator %s", name)
		}
	}
}
