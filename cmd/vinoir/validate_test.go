package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

func TestValidate(t *testing.T) {
	got := vinoir("", "validate", messages)
	assert.Equal(t, outcome{exitGood, messages + ": 11 layers inferred, 0 errors, 0 warnings\n", ""}, got)

	got = vinoir("", "validate", messages, "--json")
	assert.Equal(t, exitGood, got.code)
	v := decode[validation](t, got)
	assert.Equal(t, []string{"f32[?,2]"}, v.Layers["sum"])
	assert.Equal(t, []string{"f32[6,2]"}, v.Layers["messages"])
	assert.Empty(t, v.Findings)
	assert.Contains(t, got.stdout, `"findings":[]`)
	assert.Equal(t, got, vinoir("", "validate", messages, "--format", "json"))
}

func TestValidate_shape(t *testing.T) {
	v := decode[validation](t, vinoir("", "validate", messages, "--json", "--shape", "nodes=[3..5,2]"))
	assert.Equal(t, []string{"f32[3..5,2]"}, v.Layers["sum"])
	v = decode[validation](t, vinoir("", "validate", messages, "--json", "--no-bin", "--shape", "nodes=[...]"))
	assert.Equal(t, []string{"f32[...]"}, v.Layers["nodes"])

	got := vinoir("", "validate", messages, "--json", "--shape", "nodes=[5,3]")
	assert.Equal(t, exitFault, got.code)
	v = decode[validation](t, got)
	require.Len(t, v.Findings, 2)
	f := v.Findings[0]
	assert.Equal(t, "inference", f.Rule)
	assert.Equal(t, "error", f.Severity)
	assert.Equal(t, "ScatterElementsUpdate", f.Type)
	assert.Equal(t, -1, f.Port)
	assert.Positive(t, f.Line)
	assert.Contains(t, f.Message, "[6,3]")
	assert.NotContains(t, v.Layers, "sum", "only inferred layers are listed")
	assert.Contains(t, v.Layers, "messages")
}

// TestValidate_shapeForms names an input in all ways that --shape and --batch allow.
func TestValidate_shapeForms(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--shape", "0=[7,2]"}, "f32[7,2]"},
		{[]string{"--shape", "[7,2]"}, "f32[7,2]"},
		{[]string{"--batch", "5"}, "f32[5,2]"},
		{[]string{"--shape", "[7,2]", "--shape", "nodes=[7,2]"}, "f32[7,2]"},
	} {
		v := decode[validation](t, vinoir("", append([]string{"validate", messages, "--json"}, c.args...)...))
		assert.Equal(t, []string{c.want}, v.Layers["nodes"], "%v", c.args)
		assert.Equal(t, exitGood, vinoir("", append([]string{"run", messages}, c.args...)...).code, "%v", c.args)
	}
	for _, c := range []struct{ flag, value, want string }{
		{"--shape", "1=[7,2]", `"nodes"`},
		{"--shape", "edges=[7,2]", `"nodes"`},
		{"--batch", "-1", "--batch -1 is negative"},
	} {
		got := vinoir("", "validate", messages, c.flag, c.value)
		assert.Equal(t, exitUsage, got.code)
		assert.Contains(t, got.stderr, c.want)
	}
	got := vinoir("", "validate", messages, "--shape", "[7,2]", "--shape", "nodes=[8,2]")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "the input has shape [7,2] already")
}

// TestValidate_shapeOfMany gives a shape that fits one of two models.
func TestValidate_shapeOfMany(t *testing.T) {
	other := testCase("bad", "op_port_shape_lies", "model.xml")
	got := vinoir("", "validate", other, messages, "--shape", "nodes=[7,2]")
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stdout, other+`: error: --shape nodes=[7,2]: input "nodes": the model has no input of that name`)
	assert.Contains(t, got.stdout, messages+": 11 layers inferred, 0 errors, 0 warnings\n")
}

func TestValidate_stale(t *testing.T) {
	path := testCase("bad", "op_port_shape_lies", "model.xml")
	got := vinoir("", "validate", path)
	assert.Equal(t, exitGood, got.code)
	assert.Contains(t, got.stdout, path+`:20: warning: layer 4 "scatterupdate4" (ScatterUpdate, opset3): output 0 is [5,4] in the file, inferred [3,4] [stale-shape]`)
	assert.Equal(t, exitFault, vinoir("", "validate", path, "--strict").code)

	v := decode[validation](t, vinoir("", "validate", path, "--json"))
	require.Len(t, v.Findings, 1)
	assert.Equal(t, "[5,4]", v.Findings[0].Declared)
	assert.Equal(t, "[3,4]", v.Findings[0].Inferred)
	assert.Equal(t, 1, v.Warnings)
}

func TestValidate_unreadable(t *testing.T) {
	path := testCase("bad", "const_offset_beyond", "model.xml")
	got := vinoir("", "validate", path, "--json")
	assert.Equal(t, exitFault, got.code)
	v := decode[validation](t, got)
	require.Len(t, v.Findings, 1)
	assert.Equal(t, "bin-short", v.Findings[0].Rule)
	assert.Equal(t, "Constant", v.Findings[0].Type)
	assert.Equal(t, 8, v.Findings[0].Line)
	assert.NotNil(t, v.Layers)

	got = vinoir("", "validate", path, "none.xml", messages)
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stdout, path+`:8: error: layer 1 "const1" (Constant, opset1): `)
	assert.Contains(t, got.stdout, "none.xml: error: ")
	assert.Contains(t, got.stdout, messages+": 11 layers inferred")
	assert.Equal(t, exitGood, vinoir("", "validate", path, "--no-bin").code)
}

func TestValidate_stdin(t *testing.T) {
	xml := readText(t, messages)
	got := vinoir(xml, "validate", "-")
	assert.Equal(t, outcome{exitGood, "<stdin>: 11 layers inferred, 1 of them from the dims in the file, 0 errors, 0 warnings\n", ""}, got)
	bin := strings.TrimSuffix(messages, ".xml") + ".bin"
	assert.Equal(t, exitGood, vinoir(xml, "validate", "-", "--bin", bin).code)
	assert.Equal(t, exitFault, vinoir(xml, "validate", "-", "--bin", "none.bin").code)
	assert.Equal(t, exitFault, vinoir("<net", "validate", "-").code)
}

func TestValidate_many(t *testing.T) {
	got := vinoir("", "validate", messages, messages, "--json")
	assert.Equal(t, exitGood, got.code)
	decoder := json.NewDecoder(strings.NewReader(got.stdout))
	for range 2 {
		var v validation
		require.NoError(t, decoder.Decode(&v))
		assert.Equal(t, messages, v.Model)
	}
	assert.False(t, decoder.More())
}

func TestValidate_sameNames(t *testing.T) {
	xml := strings.ReplaceAll(readText(t, messages), `name="sum"`, `name="max"`)
	v := decode[validation](t, vinoir(xml, "validate", "-", "--json"))
	var names []string
	for name := range v.Layers {
		if strings.HasPrefix(name, "max") {
			names = append(names, name)
		}
	}
	assert.Len(t, names, 2)
}

func TestValidate_rules(t *testing.T) {
	got := vinoir("", "validate", "--rules")
	assert.Equal(t, exitGood, got.code)
	assert.Contains(t, got.stdout, "stale-shape        warning  The dims of an output port differ from the inferred shape.\n")
	rules := decode[[]ruleInfo](t, vinoir("", "validate", "--rules", "--json"))
	assert.Len(t, rules, strings.Count(got.stdout, "\n"))
	seen := make(map[string]bool)
	for _, rule := range rules {
		assert.False(t, seen[rule.Rule], rule.Rule)
		seen[rule.Rule] = true
		assert.NotEmpty(t, rule.Help)
	}
}

func TestValidate_color(t *testing.T) {
	path := testCase("bad", "op_port_shape_lies", "model.xml")
	text := vinoir("", "validate", path)
	assert.NotContains(t, text.stdout, "\x1b", "standard output is not a terminal")
	assert.Equal(t, text, vinoir("", "validate", path, "--color", "never"))
	colored := vinoir("", "validate", path, "--color", "always")
	assert.Contains(t, colored.stdout, "\x1b[33mwarning:\x1b[0m")
	for _, code := range []string{bold, dim, red, yellow, plain} {
		colored.stdout = strings.ReplaceAll(colored.stdout, code, "")
	}
	assert.Equal(t, text, colored)
	assert.NotContains(t, vinoir("", "validate", path, "--color", "always", "--json").stdout, "\\u001b")
}

func TestValidate_withoutBin(t *testing.T) {
	path := copyModel(t, t.TempDir(), "m.xml")
	require.NoError(t, os.Remove(strings.TrimSuffix(path, ".xml")+".bin"))
	got := vinoir("", "validate", path)
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stdout, "the Constant needs the .bin: open ")
	got = vinoir("", "validate", path, "--no-bin")
	assert.Equal(t, outcome{exitGood, path + ": 11 layers inferred, 1 of them from the dims in the file, 0 errors, 0 warnings\n", ""}, got)
	v := decode[validation](t, vinoir("", "validate", path, "--no-bin", "--json"))
	assert.Empty(t, v.Unknown)
	assert.Equal(t, []string{"messages"}, v.Assumed)
	assert.Empty(t, v.Findings)

	v = decode[validation](t, vinoir("", "validate", path, "--no-bin", "--json", "--strict"))
	require.Len(t, v.Findings, 1)
	assert.Equal(t, ruleAssumed, v.Findings[0].Rule)
	assert.Equal(t, "messages", v.Findings[0].Layer)
	assert.Contains(t, vinoir("", "info", path, "--no-bin").stdout, `0 "sum" ["sum"] f32[?,2] (from the dims in the file)`)
}

// TestValidate_contradiction declares dims that depend on the .bin, and others that do not agree
// with them.
func TestValidate_contradiction(t *testing.T) {
	xml := readText(t, messages)
	at := strings.Index(xml, `id="4" name="messages"`)
	at += strings.Index(xml[at:], "<output>")
	xml = xml[:at] + strings.Replace(xml[at:], "<dim>6</dim>", "<dim>7</dim>", 1)
	got := vinoir(xml, "validate", "-")
	assert.Equal(t, exitGood, got.code)
	assert.Contains(t, got.stdout, "[contradiction]")
	assert.Equal(t, exitFault, vinoir(xml, "validate", "-", "--strict").code)
}

func TestLayerKey(t *testing.T) {
	v := &validation{Layers: map[string][]string{"a": {}, "b": {}, "b#5": {}}}
	assert.Equal(t, "c", v.layerKey(&ir.Layer{Name: "c", ID: 5}))
	assert.Equal(t, "a#5", v.layerKey(&ir.Layer{Name: "a", ID: 5}))
	assert.Equal(t, "b#5#5", v.layerKey(&ir.Layer{Name: "b", ID: 5}), "b#5 is the name of another layer")
}

// TestValidate_lackingBin validates the shapes of a model whose .bin is missing, or a pointer of
// Git LFS: that is an error, but not the only finding.
func TestValidate_lackingBin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.xml")
	require.NoError(t, os.WriteFile(path, []byte(readText(t, messages)), 0o644))
	for _, pointer := range []bool{false, true} {
		want := "no such file"
		if pointer {
			want = "this is a pointer of Git LFS"
			require.NoError(t, os.WriteFile(strings.TrimSuffix(path, "xml")+"bin", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 152\n"), 0o644))
		}
		got := vinoir("", "validate", path)
		assert.Equal(t, exitFault, got.code)
		if runtime.GOOS != "windows" && runtime.GOOS != "js" || pointer {
			assert.Contains(t, got.stdout, want)
		}
		assert.Contains(t, got.stdout, "11 layers inferred, 1 of them from the dims in the file, 1 error, 0 warnings")
	}
	got := vinoir("", "validate", path, "--bin", path+".none")
	assert.Contains(t, got.stdout, "0 layers inferred, 1 error")
}
