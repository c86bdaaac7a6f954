// Package reports checks the JSON that the command prints against its schemas.
package reports

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/docs/test/repository"
)

// TestReports runs the tests of the command, which keep what the command prints, and checks all of
// it.
func TestReports(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, repository.Go([]string{"VINOIR_REPORTS=" + dir}, "test", "-short", "-count=1", "./cmd/vinoir"))
	compiled := make(map[string]*jsonschema.Schema)
	schemas, err := filepath.Glob(repository.Path("cmd/vinoir/schema/*.json"))
	require.NoError(t, err)
	for _, file := range append(schemas, filepath.Join("testdata", "sarif.json")) {
		schema, err := jsonschema.NewCompiler().Compile(file)
		require.NoError(t, err)
		compiled[strings.TrimSuffix(filepath.Base(file), ".json")] = schema
	}
	reports, err := os.ReadDir(dir)
	require.NoError(t, err)
	checked := make(map[string]int)
	for _, report := range reports {
		name, _, _ := strings.Cut(report.Name(), "_")
		require.Contains(t, compiled, name)
		text, err := os.ReadFile(filepath.Join(dir, report.Name()))
		require.NoError(t, err)
		for _, value := range values(t, string(text)) {
			assert.NoError(t, compiled[name].Validate(value), "%s: %s", name, text)
			checked[name]++
		}
	}
	for name := range compiled {
		assert.NotZero(t, checked[name], "no test of the command prints %s", name)
	}
	t.Log(checked)
}

// values parses JSON values, one after the other.
func values(t *testing.T, text string) (list []any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	for {
		var value any
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err, text)
		list = append(list, value)
	}
}

// TestReports_schemas checks that the schemas refuse values that have a field too few or too many.
func TestReports_schemas(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(repository.Path("cmd/vinoir/schema/ops.json"))
	require.NoError(t, err)
	for _, text := range []string{`{}`, `[{}]`, `[{"odd": 1}]`} {
		assert.Error(t, schema.Validate(values(t, text)[0]), text)
	}
	schema, err = jsonschema.NewCompiler().Compile(filepath.Join("testdata", "sarif.json"))
	require.NoError(t, err)
	for _, text := range []string{`[]`, `{"version": "2.1.0"}`, `{"version": "2.1.0", "runs": [{}]}`} {
		assert.Error(t, schema.Validate(values(t, text)[0]), text)
	}
}
