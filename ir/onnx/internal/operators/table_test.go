package operators_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ir/onnx/internal/onnxtest"
	"github.com/vinoir/vinoir/ir/onnx/internal/operators"
	"github.com/vinoir/vinoir/ir/onnx/internal/proto"
	"github.com/vinoir/vinoir/ir/onnx/internal/wire"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/onnxextension"
	"github.com/vinoir/vinoir/plugin"
)

// tablePath is the path of the generated table of operators.
const tablePath = "../../OPERATORS.md"

const tableHead = `# Operators of ONNX files

Every operator of ONNX, and those of other domains that package onnx knows: the versions of the operator set in which it changed; the layer
types of [ops/README.md](../../ops/README.md) that its nodes became in the corpus, without constants, or why it is refused; and the number of
models of the corpus that hold it. Operators without a layer give another name to their input, are constants, or are in no model.

This file is generated: VINOIR_UPDATE=1 go test ./ir/onnx/internal/operators -run Table. With VINOIR_CORPUS=FOLDER, layers and models
are those of its onnxfiles; without it the table keeps those that it has.

| operator | versions | layers | models |
|---|---|---|---|
`

// refused is before the reason for which an operator is.
const refused = "refused: "

// row is what the table says about an operator beside its versions.
type row struct {
	layers string
	models int
}

// TestTable compares the table with the rules, or updates it if VINOIR_UPDATE is set.
func TestTable(t *testing.T) {
	update := os.Getenv("VINOIR_UPDATE") != ""
	before, err := os.ReadFile(tablePath)
	if !update {
		require.NoError(t, err)
	}
	rows := rowsOf(string(before))
	if corpus := os.Getenv(optest.CorpusVariable); update && corpus != "" {
		rows = readCorpus(t, filepath.Join(corpus, "onnxfiles"))
	}
	text := tableHead + strings.Join(lines(t, rows), "\n") + "\n"
	if update {
		require.NoError(t, os.WriteFile(tablePath, []byte(text), 0o644))
		return
	}
	assert.Equal(t, text, string(before), "ir/onnx/OPERATORS.md is out of date: see there how it is made")
}

// lines returns the rows of all operators, those of ONNX first, sorted by domain and name.
func lines(t *testing.T, rows map[string]row) []string {
	t.Helper()
	known, refusals := make(map[string][]int), make(map[string]string)
	for _, r := range operators.Rules() {
		name := nameOf(r.Domain, r.Operator)
		known[name] = append(known[name], r.Versions...)
		refusals[name] = r.Refusal
	}
	for name := range versions(t) {
		if _, ok := known[name]; !ok {
			known[name], refusals[name] = nil, "it has no rule yet"
		}
	}
	var list []string
	for _, name := range slices.SortedFunc(maps.Keys(known), compareNames) {
		slices.Sort(known[name])
		layers := rows[name].layers
		if refusals[name] != "" {
			layers = refused + refusals[name]
		}
		list = append(list, fmt.Sprintf("| %s | %s | %s | %d |", name, strings.Trim(fmt.Sprint(known[name]), "[]"), layers, rows[name].models))
	}
	return list
}

// nameOf returns the name of an operator in the table: with its domain, unless that is ONNX's own.
func nameOf(domain, operator string) string {
	if operator == "" {
		operator = "all others"
	}
	if domain == "" || domain == "ai.onnx" {
		return operator
	}
	return domain + ":" + operator
}

// compareNames orders names: those of ONNX's own operators before others.
func compareNames(a, b string) int {
	if x, y := strings.Contains(a, ":"), strings.Contains(b, ":"); x != y {
		return strings.Compare(strconv.FormatBool(x), strconv.FormatBool(y))
	}
	return strings.Compare(a, b)
}

// rowsOf returns what a table says about each operator.
func rowsOf(table string) map[string]row {
	rows := make(map[string]row)
	for _, m := range regexp.MustCompile(`(?m)^\| (\S+) \| .* \| (.*) \| (\d+) \|$`).FindAllStringSubmatch(table, -1) {
		models, _ := strconv.Atoi(m[3])
		if strings.HasPrefix(m[2], refused) {
			m[2] = ""
		}
		rows[m[1]] = row{m[2], models}
	}
	return rows
}

// readCorpus reads all models that are not broken.
func readCorpus(t *testing.T, dir string) map[string]row {
	t.Helper()
	registry, err := plugin.NewRegistry(append(builtin.Ops(), onnxextension.Ops()...)...)
	require.NoError(t, err)
	models, layers := make(map[string]int), make(map[string]map[string]bool)
	for _, pattern := range []string{"[^b]*/*/case.json", "data/*/*/case.json"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, path := range paths {
			for _, name := range operatorsIn(t, path) {
				models[name]++
			}
			folder := filepath.Dir(path)
			if model, err := onnx.ReadFile(t.Context(), filepath.Join(folder, "model.onnx"), onnx.Options{Rules: registry}); err == nil {
				addLayers(layers, model, makers(t, folder), registry)
				require.NoError(t, model.Close())
			}
		}
	}
	rows := make(map[string]row)
	for name, n := range models {
		rows[name] = row{strings.Join(slices.Sorted(maps.Keys(layers[name])), " "), n}
	}
	return rows
}

// operatorsIn returns the operators that a case.json lists, without their versions.
func operatorsIn(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var file struct {
		Operators map[string]int `json:"ops"`
	}
	require.NoError(t, json.Unmarshal(data, &file), path)
	names := make(map[string]bool)
	for name := range file.Operators {
		names[name[:strings.LastIndex(name, "-")]] = true
	}
	return slices.Collect(maps.Keys(names))
}

// makers returns the operator of each node of the graph of a model, by the name of its first
// output.
func makers(t *testing.T, folder string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "model.onnx"))
	require.NoError(t, err)
	m, err := proto.Parse(data, wire.Limits{Messages: 10 * onnxtest.Limits.Messages, Depth: onnxtest.Limits.Depth})
	require.NoError(t, err, folder)
	of := make(map[string]string)
	for _, n := range m.Graph.Nodes {
		if i := slices.IndexFunc(n.Outputs, func(name string) bool { return name != "" }); i >= 0 {
			of[n.Outputs[i]] = nameOf(n.Domain, n.Operator)
		}
	}
	return of
}

// addLayers adds the layer types of a model to those of the operators that they were made for. The
// name of a layer is that of the first output of its node, alone or followed by a slash.
func addLayers(layers map[string]map[string]bool, model *ir.Model, makers map[string]string, registry *plugin.Registry) {
	for layer := range model.AllLayers() {
		op, err := registry.Op(layer)
		if err != nil || slices.Contains([]string{"Constant", "Parameter", "Result"}, layer.Type) {
			continue
		}
		maker, name := "", layer.Name
		for maker == "" && name != "" {
			maker = makers[name]
			name = name[:max(strings.LastIndex(name, "/"), 0)]
		}
		if layers[maker] == nil {
			layers[maker] = make(map[string]bool)
		}
		layers[maker][op.String()] = true
	}
}
