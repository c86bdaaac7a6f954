package builtin

import (
	"fmt"
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
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin"
)

// tablePath is the path of the generated table of layer types.
const tablePath = "../README.md"

const tableHead = `# Layer types

Every layer type that vinoir knows, with the opset that introduced the revision. All have a shape rule: ` + "`vinoir validate`" + ` infers them from
static, partly known and unknown shapes. Those with a kernel also run; the element types are those that the kernel computes.
Where these are not all numbers, the next column has the types that the specification allows, in which floats are f32, f64, f16 and bf16.
Attributes are those that every layer of the type can have, with their defaults. Cases are the models of the corpus (see
testdata/ir/README.md) that hold the layer. [ir/onnx/OPERATORS.md](../ir/onnx/OPERATORS.md) says which of them the operators of ONNX files become.

This file is generated: VINOIR_UPDATE=1 go test ./ops/builtin -run Table. With VINOIR_CORPUS=FOLDER the cases are counted;
without it the table keeps the counts that it has.

| layer type | shape rule | kernel | element types | specified | inputs | attributes | cases |
|---|---|---|---|---|---|---|---|
`

// TestTable compares the table with the registry, or updates it if VINOIR_UPDATE is set. Cases are
// only counted in an update.
func TestTable(t *testing.T) {
	update := os.Getenv("VINOIR_UPDATE") != ""
	before, err := os.ReadFile(tablePath)
	if !update {
		require.NoError(t, err)
	}
	cases := casesOf(string(before))
	if corpus := os.Getenv(optest.CorpusVariable); update && corpus != "" {
		cases = countCases(t, corpus)
	}
	registry, err := plugin.NewRegistry(all()...)
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString(tableHead)
	rules, kernels := 0, 0
	for _, op := range registry.Ops() {
		rules++
		if op.Prepare != nil {
			kernels++
		}
		writeRow(&b, &op, cases[op.String()])
	}
	fmt.Fprintf(&b, "\n%d layer types, %d of them with a kernel.\n", rules, kernels)
	if update {
		require.NoError(t, os.WriteFile(tablePath, []byte(b.String()), 0o644))
		return
	}
	assert.Equal(t, b.String(), string(before), "ops/README.md is out of date: see there how it is made")
}

// writeRow writes the table row of op.
func writeRow(b *strings.Builder, op *ops.Op, cases int) {
	kernel, types := "no", ""
	if op.Prepare != nil {
		kernel, types = "yes", "all"
		if op.Types != nil {
			names := make([]string, len(op.Types))
			for i, t := range op.Types {
				names[i] = t.String()
			}
			types = strings.Join(names, " ")
		}
	}
	inputs := strconv.Itoa(op.Inputs.Min)
	switch {
	case op.Inputs.Max < 0:
		inputs += " or more"
	case op.Inputs.Max > op.Inputs.Min:
		inputs += fmt.Sprintf(" to %d", op.Inputs.Max)
	}
	var attributes []string
	for _, a := range ir.DescribeAttributes(op.Attributes) {
		text := a.Name
		if def := fmt.Sprint(a.Default); a.Default != nil && def != "" {
			text += "=" + def
		}
		attributes = append(attributes, text)
	}
	specified := ""
	if i := slices.IndexFunc(typesCases, func(c typesCase) bool { return c.layerType == op.String() }); i >= 0 {
		specified = typesCases[i].specified
	}
	fmt.Fprintf(b, "| %s | yes | %s | %s | %s | %s | %s | %d |\n", op, kernel, types, specified, inputs, strings.Join(attributes, ", "), cases)
}

// casesOf returns the number of cases of each layer type in a table.
func casesOf(table string) map[string]int {
	cases := make(map[string]int)
	for _, row := range regexp.MustCompile(`(?m)^\| (\S+) \| .* \| (\d+) \|$`).FindAllStringSubmatch(table, -1) {
		cases[row[1]], _ = strconv.Atoi(row[2])
	}
	return cases
}

// countCases returns the number of models in the corpus that contain each layer type.
func countCases(t *testing.T, corpus string) map[string]int {
	registry, err := plugin.NewRegistry(all()...)
	require.NoError(t, err)
	cases := make(map[string]int)
	for _, folder := range []string{"onnx", "ops", "zoo"} {
		paths, err := filepath.Glob(filepath.Join(corpus, folder, "*", "model.xml"))
		require.NoError(t, err)
		for _, path := range paths {
			m, err := irxml.ReadFile(path, irxml.ReadOptions{NoBin: true})
			require.NoError(t, err, path)
			held := make(map[string]bool)
			for models := []*ir.Model{m}; len(models) > 0; models = models[1:] {
				for _, layer := range models[0].Layers {
					if op, err := registry.Op(layer); err == nil && layer.Line > 0 {
						held[op.String()] = true
					}
					for i := range layer.Bodies {
						models = append(models, layer.Bodies[i].Model)
					}
				}
			}
			for name := range held {
				cases[name]++
			}
			require.NoError(t, m.Close())
		}
	}
	return cases
}
