package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// schemas returns what the files in schema describe.
func schemas() map[string]reflect.Type {
	return map[string]reflect.Type{
		"benchmark":      reflect.TypeFor[timing](),
		"conformance":    reflect.TypeFor[conformanceReport](),
		"convert":        reflect.TypeFor[conversion](),
		"detokenize":     reflect.TypeFor[detokenization](),
		"diff":           reflect.TypeFor[diffReport](),
		"embed":          reflect.TypeFor[embedding](),
		"embeddings":     reflect.TypeFor[embeddingsResult](),
		"generate":       reflect.TypeFor[generation](),
		"graph":          reflect.TypeFor[graphResult](),
		"info":           reflect.TypeFor[modelInfo](),
		"ops":            reflect.TypeFor[[]opInfo](),
		"profile":        reflect.TypeFor[profile](),
		"rerank":         reflect.TypeFor[rerankResult](),
		"run":            reflect.TypeFor[inference](),
		"tokenize":       reflect.TypeFor[tokenization](),
		"tokenizer":      reflect.TypeFor[tokenizerConversion](),
		"validate":       reflect.TypeFor[validation](),
		"validate-rules": reflect.TypeFor[[]ruleInfo](),
		"version":        reflect.TypeFor[versionInfo](),
	}
}

// reportsVariable names a folder in which tests put the JSON that commands print. The tests in
// docs/test/reports check it against the schemas.
const reportsVariable = "VINOIR_REPORTS"

// keep puts text into the folder that reportsVariable names, if there is one. The name of the file
// starts with that of the schema.
func keep(t *testing.T, schema, text string) {
	t.Helper()
	dir := os.Getenv(reportsVariable)
	if dir == "" {
		return
	}
	file, err := os.CreateTemp(dir, schema+"_*.json")
	require.NoError(t, err)
	_, err = file.WriteString(text)
	require.NoError(t, errors.Join(err, file.Close()))
}

// keepReport keeps text if there is a schema for the JSON of type shape.
func keepReport(t *testing.T, shape reflect.Type, text string) {
	t.Helper()
	for name, described := range schemas() {
		if described == shape {
			keep(t, name, text)
		}
	}
}

// TestSchema_output keeps what commands print, and checks the fields of each line; decode does so
// for all other tests.
func TestSchema_output(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.xml")
	text := strings.Replace(readText(t, messages), `name="sum"`, `name="total"`, 1)
	require.NoError(t, os.WriteFile(other, []byte(text), 0o644))
	all := func(folders ...string) []string {
		found, err := filepath.Glob(testCase(append(folders, "*", "model.xml")...))
		require.NoError(t, err)
		require.NotEmpty(t, found)
		return found
	}
	expected := filepath.Join(dir, "expected")
	nodes := []string{"--shape", "nodes=[5,2]"}
	require.Equal(t, exitGood, vinoir("", slices.Concat([]string{"run", messages, "--out-dir", expected}, nodes)...).code)

	for name, commands := range map[string][][]string{
		"validate": {
			append([]string{"validate", "--run", "--strict"}, all("bad")...), append([]string{"validate", "--no-bin", "--strict"}, all("bad")...),
			append([]string{"validate"}, all("If-8")...), {"validate", messages, "--explain", "sum"}, {"validate", "missing.xml"},
			{"validate", testCase("bad", "ge_axis_2", "model.xml"), "--explain", "1"},
		},
		"validate-rules": {{"validate", "--rules"}},
		"info":           {{"info", messages}, {"info", messages, "--no-bin"}, append([]string{"info", messages, "--plan", "--memory"}, nodes...), {"info", testCase("bad", "layer_unknown", "model.xml")}},
		"run": {
			append([]string{"run", messages, "--out-dir", dir}, nodes...), append([]string{"run", messages, "--top", "2"}, nodes...),
			append([]string{"run", messages, "--expect", expected}, nodes...), append([]string{"run", messages, "--expect", expected, "--fill", "zeros"}, nodes...),
		},
		"benchmark":   {append([]string{"benchmark", messages, "--runs", "2"}, nodes...), append([]string{"benchmark", messages, "--runs", "4", "--hint", "throughput", "--percentiles", "10"}, nodes...)},
		"profile":     {append([]string{"profile", messages, "--runs", "2"}, nodes...), append([]string{"profile", messages, "--runs", "2", "--top", "1", "--sort", "type"}, nodes...)},
		"convert":     {append([]string{"convert", messages, filepath.Join(dir, "converted.xml"), "--fp16"}, nodes...), {"convert", testCase("ShapeOf-1", "u8", "model.xml"), filepath.Join(dir, "folded.xml"), "--fold"}},
		"diff":        {{"diff", messages, messages}, {"diff", messages, other, "--no-bin"}, {"diff", messages, testCase("bad", "ge_axis_2", "model.xml"), "--no-bin"}},
		"conformance": {{"conformance", testCase(), "--filter", "^(Concat-1|bad)/"}},
		"graph":       {{"graph", messages, "-o", filepath.Join(dir, "graph.svg")}},
		"generate":    {{"generate", tiny, "Hi", "--max-new-tokens", "3"}, {"generate", tiny, "Hi", "--num-beams", "2", "--max-new-tokens", "3"}},
		"tokenize":    {{"tokenize", tiny, "Hi", "", "é", "--pieces", "--offsets"}},
		"detokenize":  {{"detokenize", tiny, "72", "105"}},
		"embed":       {{"embed", messages, "-o", filepath.Join(dir, "embedded")}},
		"ops":         {{"ops"}},
		"version":     {{"version"}},
	} {
		for _, args := range commands {
			got := vinoir("", append(args, "--json")...)
			require.NotEmpty(t, got.stdout, "%v: %s", args, got.stderr)
			keep(t, name, got.stdout)
			for line := range strings.Lines(got.stdout) {
				decoder := json.NewDecoder(strings.NewReader(line))
				decoder.DisallowUnknownFields()
				require.NoError(t, decoder.Decode(reflect.New(schemas()[name]).Interface()), line)
			}
		}
	}
}

// TestSchema_commands checks that each command has a schema.
func TestSchema_commands(t *testing.T) {
	described := schemas()
	for _, cmd := range new(app).command().Commands() {
		if name := cmd.Name(); name != "completion" && name != "help" {
			assert.Contains(t, described, name)
		}
	}
}

// TestSchema_noLayer checks that a finding about no layer has no layer_id, and that one about layer
// 0 has.
func TestSchema_noLayer(t *testing.T) {
	ids := func(stdin string, args ...string) (ids []string) {
		var v struct{ Findings []map[string]json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(vinoir(stdin, append(args, "--json")...).stdout), &v))
		for _, f := range v.Findings {
			ids = append(ids, string(f["layer_id"]))
		}
		return ids
	}
	assert.Equal(t, []string{""}, ids("<net", "validate", "-"))
	assert.Equal(t, []string{"0"}, ids(strings.Replace(identityModel(ir.F32, "2"), `type="Parameter"`, `type="Strange"`, 1), "validate", "-"))
}

// TestSchema_fields checks that each schema has the fields of its type, with a description each,
// and no others.
func TestSchema_fields(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("schema", "*.json"))
	require.NoError(t, err)
	assert.Len(t, files, len(schemas()))
	for name, shape := range schemas() {
		var root schemaNode
		decoder := json.NewDecoder(strings.NewReader(readText(t, filepath.Join("schema", name+".json"))))
		decoder.DisallowUnknownFields()
		require.NoError(t, decoder.Decode(&root), name)
		assert.Contains(t, root.Title, "vinoir "+strings.ReplaceAll(name, "-", " --"))
		root.check(t, name, shape, root.Definitions)
	}
}

// schemaNode has the keywords that the schemas use.
type schemaNode struct {
	Schema      string `json:"$schema"`
	Ref         string `json:"$ref"`
	Title       string
	Description string
	Type        string
	AllOf       []*schemaNode
	Items       *schemaNode
	Properties  map[string]*schemaNode
	Required    []string
	Enum        []string
	Minimum     *int
	// AdditionalProperties is false or the schema of the values of a map.
	AdditionalProperties json.RawMessage
	Definitions          map[string]*schemaNode
}

// check checks that n describes what encoding/json makes of shape.
func (n *schemaNode) check(t *testing.T, path string, shape reflect.Type, definitions map[string]*schemaNode) {
	if len(n.AllOf) == 1 {
		n = n.AllOf[0]
	}
	if name, isRef := strings.CutPrefix(n.Ref, "#/definitions/"); isRef {
		n = definitions[name]
		require.NotNil(t, n, "%s: %s", path, name)
	}
	if shape.Kind() == reflect.Pointer {
		shape = shape.Elem()
	}
	want := map[reflect.Kind]string{reflect.Bool: "boolean", reflect.String: "string", reflect.Slice: "array", reflect.Struct: "object", reflect.Map: "object", reflect.Float32: "number", reflect.Float64: "number"}[shape.Kind()]
	if shape.Kind() >= reflect.Int && shape.Kind() <= reflect.Uint64 {
		want = "integer"
	}
	assert.Equal(t, want, n.Type, path)
	switch shape.Kind() {
	case reflect.Slice:
		require.NotNil(t, n.Items, path)
		n.Items.check(t, path+"[]", shape.Elem(), definitions)
	case reflect.Map:
		var values schemaNode
		require.NoError(t, json.Unmarshal(n.AdditionalProperties, &values), path)
		values.check(t, path+"{}", shape.Elem(), definitions)
	case reflect.Struct:
		assert.JSONEq(t, "false", string(n.AdditionalProperties), path)
		assert.NotEmpty(t, n.Description, path)
		var fields, required []string
		for _, field := range reflect.VisibleFields(shape) {
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" {
				continue
			}
			fields = append(fields, name)
			if options == "" {
				required = append(required, name)
			}
			property := n.Properties[name]
			require.NotNil(t, property, "%s.%s is not described", path, name)
			assert.True(t, strings.HasSuffix(property.Description, "."), "the description of %s.%s: %q", path, name, property.Description)
			property.check(t, path+"."+name, field.Type, definitions)
		}
		var described []string
		for name := range n.Properties {
			described = append(described, name)
		}
		assert.ElementsMatch(t, fields, described, path)
		assert.Subset(t, n.Required, required, path)
	default:
		assert.Contains(t, []string{"boolean", "integer", "number", "string"}, n.Type, "%s: %s", path, shape)
	}
}
