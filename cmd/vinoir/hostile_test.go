package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hostileText has an escape sequence and a line end as references, as XML has them, and raw bytes
// that are a C1 control character, a character that reverses text, and no UTF-8.
const hostileText = "&#27;[2J&#10;forged: 0 errors\u009b2J\u202e\x7f\xff"

// assertPrintable checks that text has only printable characters and the line ends of the command,
// and that none of its lines is forged.
func assertPrintable(t *testing.T, text, what string) {
	t.Helper()
	assert.True(t, utf8.ValidString(text), what)
	at := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
	assert.Equal(t, -1, at, "%s: %q", what, text)
	assert.NotContains(t, text, "\nforged", what)
}

// hostileModel is a model with hostileText in all its names. layerType is the type of the layer
// in the middle.
func hostileModel(layerType string) string {
	name := func(s string) string { return s + hostileText }
	return fmt.Sprintf(`<net name="%s" version="11"><layers>
<layer id="0" name="%s" type="Parameter" version="opset1"><data shape="2" element_type="f32" %s="1" odd="%s"/><output><port id="0" precision="FP32" names="%s"><dim>3</dim></port></output></layer>
<layer id="1" name="%s" type="%s" version="opset1"><input><port id="0" precision="%s"><dim>2</dim></port></input><output><port id="1" precision="FP32" names="%s"><dim>2</dim></port></output></layer>
<layer id="2" name="%s" type="Result" version="opset1"><input><port id="0"/></input></layer>
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/><edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges>
<rt_info><x value="%s"/></rt_info></net>`,
		name("m"), name("p"), "odd\u009b\u202e", name("v"), name("t"), name("n"), layerType, name("FP32"), name("u"), name("r"), name("i"))
}

func TestHostileText(t *testing.T) {
	dir := t.TempDir()
	for kind, layerType := range map[string]string{"good": "Relu", "unknown": "Foo" + hostileText} {
		path := filepath.Join(dir, kind+"\n\x1b[31mforged\u202e.xml")
		require.NoError(t, os.WriteFile(path, []byte(hostileModel(layerType)), 0o600))
		for _, args := range [][]string{
			{"validate"}, {"validate", "--explain", "0"}, {"validate", "--explain", "1"}, {"validate", "--explain", "9"}, {"validate", "--fix"},
			{"validate", "--format", "sarif"}, {"validate", "--shape", "x=[1]"}, {"validate", "--bin", "no\nforged"},
			{"info"}, {"run"}, {"run", "--in", "x\nforged"}, {"run", "--in", "0=no\nforged.npy"}, {"run", "--fill", "a\nforged"},
			{"run", "--out-dir", filepath.Join(dir, "out\nforged")}, {"run", "--in-dir", "in\nforged"}, {"run", "--max-input", "1"},
			{"convert", filepath.Join(dir, kind+"\n\x1b[31mforged\u202e.xml")}, {"embed", "-o", filepath.Join(dir, "package\nforged")}, {"benchmark", "--seconds", "0"}, {"profile", "--runs", "1"}, {"diff", messages},
			{"graph", "-o", filepath.Join(dir, "page\nforged.html")}, {"conformance"}, {"ops"},
		} {
			for _, form := range [][]string{nil, {"--json"}} {
				got := vinoir("", append(append(append([]string{}, args...), path), form...)...)
				what := fmt.Sprint(kind, args, form)
				assertPrintable(t, got.stdout, what)
				assertPrintable(t, got.stderr, what)
				if form != nil && got.stdout != "" && args[0] != "ops" {
					assert.True(t, json.Valid([]byte(got.stdout)), what)
				}
			}
		}
	}
	colored := vinoir("", "validate", "--color", "always", filepath.Join(dir, "good\n\x1b[31mforged\u202e.xml"))
	assert.Contains(t, colored.stdout, "\x1b[33mwarning:\x1b[0m")
	assert.NotContains(t, colored.stdout, "\x1b[2J")
}

// TestHostileText_everywhere puts hostileText into each quoted string and each name of a model in
// turn.
func TestHostileText_everywhere(t *testing.T) {
	xml := readText(t, testCase("If-8", "boolean", "model.xml"))
	places := regexp.MustCompile(`"|[\w-]=|<[\w-]+`).FindAllStringIndex(xml, -1)
	for i, place := range places {
		at := place[1]
		if xml[at-1] == '=' {
			at--
		}
		hostile := xml[:at] + hostileText + xml[at:]
		commands := [][]string{{"validate", "-"}, {"validate", "-", "--json"}, {"info", "-"}, {"run", "-"}, {"diff", messages, "-"}}
		got := vinoir(hostile, commands[i%len(commands)]...)
		assertPrintable(t, got.stdout+got.stderr, hostile[max(at-50, 0):at])
	}
	assert.Greater(t, len(places), 100)
}

// TestJSON_size validates a model whose one long name is in very many findings.
func TestJSON_size(t *testing.T) {
	const ports, length = 2000, 100_000
	var b strings.Builder
	fmt.Fprintf(&b, `<net name="m" version="11"><layers><layer id="0" name="p" type="Parameter" version="opset1"><data shape="2,4" element_type="f32"/><output><port id="0" precision="FP32"><dim>2</dim><dim>4</dim></port></output></layer>
<layer id="1" name="%s" type="Concat" version="opset1"><data axis="0"/><input>`, strings.Repeat("n", length))
	for i := range ports {
		fmt.Fprintf(&b, `<port id="%d"><dim>9</dim></port>`, i)
	}
	fmt.Fprintf(&b, `</input><output><port id="%d" precision="FP32" names="%s"/></output></layer>`, ports, strings.Repeat("t", length))
	for i := range 100 {
		fmt.Fprintf(&b, `<layer id="%d" name="r%d" type="Result" version="opset1"><input><port id="0"/></input></layer>`, 2+i, i)
	}
	b.WriteString(`</layers><edges>`)
	for i := range ports {
		fmt.Fprintf(&b, `<edge from-layer="0" from-port="0" to-layer="1" to-port="%d"/>`, i)
	}
	for i := range 100 {
		fmt.Fprintf(&b, `<edge from-layer="1" from-port="%d" to-layer="%d" to-port="0"/>`, ports, 2+i)
	}
	b.WriteString(`</edges></net>`)
	for _, args := range [][]string{
		{"validate", "-"}, {"validate", "-", "--json"}, {"validate", "-", "--format", "sarif"}, {"info", "-"}, {"info", "-", "--json"},
		{"run", "-"}, {"run", "-", "--json"}, {"diff", messages, "-"}, {"diff", "-", messages, "--json"}, {"profile", "-", "--json", "--runs", "1"}, {"profile", "-", "--runs", "1"},
	} {
		got := vinoir(b.String(), args...)
		assert.Less(t, len(got.stdout)+len(got.stderr), 10_000_000, "%v", args)
	}
	v := decode[validation](t, vinoir(b.String(), "validate", "-", "--json"))
	require.Greater(t, len(v.Findings), ports-1)
	assert.Equal(t, strings.Repeat("n", maxName)+"... (100000 bytes)", v.Findings[0].Layer)
}
