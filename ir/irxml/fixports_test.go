package irxml_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
)

// fix reads a document with an empty .bin and fixes its ports.
func fix(t *testing.T, xml []byte) (string, int) {
	m, err := irxml.Read(xml, []byte{}, irxml.ReadOptions{})
	require.NoError(t, err)
	fixed, n, err := fixStale(m, irtest.Validate(t, m, optest.Registry(t, builtin.Ops())), xml)
	require.NoError(t, err)
	return string(fixed), n
}

// fixStale fixes the ports that a report found stale.
func fixStale(m *ir.Model, r *validate.Report, xml []byte) ([]byte, int, error) {
	fixes, err := r.PortFixes()
	if err != nil {
		return nil, 0, err
	}
	return irxml.FixPorts(m, xml, fixes)
}

const fixHeader = "<?xml version=\"1.0\"?>\r\n<!-- kept --><net name='n' version=\"11\">\r\n\t<layers>\r\n" +
	"\t\t<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\"><data shape=\"2,?\" element_type=\"f32\"/>" +
	"<output><port id=\"0\" precision=\"FP32\"><dim>2</dim><dim>-1</dim></port></output></layer>\r\n"

const fixFooter = "\t\t<layer id=\"2\" name=\"y\" type=\"Result\" version=\"opset1\">" +
	"<input><port id=\"0\"><dim>2</dim><dim>-1</dim></port></input></layer>\r\n\t</layers>\r\n" +
	"\t<edges><edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/>" +
	"<edge from-layer=\"1\" from-port=\"1\" to-layer=\"2\" to-port=\"0\"/></edges>\r\n</net>\n<!-- é -->\n"

// relu returns a document that has a ReLU with the given input and output elements.
func relu(input, output string) string {
	return fixHeader + "\t\t<layer id=\"1\" name=\"é\" type=\"ReLU\" version=\"opset1\">\r\n" + input + output + "</layer>\r\n" + fixFooter
}

func TestFixPorts(t *testing.T) {
	const in = `<input><port id="0" precision="FP32"><dim>2</dim><dim>-1</dim></port></input>`
	for name, c := range map[string]struct {
		output, want string
		ports        int
	}{
		"nothing":     {`<port id="1" precision="FP32"><dim>2</dim><dim>-1</dim></port>`, `<port id="1" precision="FP32"><dim>2</dim><dim>-1</dim></port>`, 0},
		"length":      {`<port id="1" precision='FP32'><dim>3</dim><dim>4</dim></port>`, `<port id="1" precision='FP32'><dim>2</dim><dim>-1</dim></port>`, 1},
		"precision":   {`<port precision = 'I64' id='1'><dim>2</dim><dim>-1</dim></port>`, `<port precision = 'FP32' id='1'><dim>2</dim><dim>-1</dim></port>`, 1},
		"both":        {`<port id="1" precision="U8"><dim>7</dim><dim>-1</dim></port>`, `<port id="1" precision="FP32"><dim>2</dim><dim>-1</dim></port>`, 1},
		"odd texts":   {`<port id="1" precision="FP32"><dim a="b"> <!-- 1 -->3 </dim><dim><![CDATA[4]]></dim></port>`, `<port id="1" precision="FP32"><dim a="b"> <!-- 1 -->2 </dim><dim>-1</dim></port>`, 1},
		"references":  {`<port id="1" precision="&#70;P16"><dim>&#51;</dim><dim>-1</dim></port>`, `<port id="1" precision="FP32"><dim>2</dim><dim>-1</dim></port>`, 1},
		"too many":    {"<port id=\"1\" precision=\"FP32\">\r\n\t<dim>2</dim>\r\n\t<dim>-1</dim>\r\n\t<dim>5</dim>\r\n</port>", "<port id=\"1\" precision=\"FP32\">\r\n\t<dim>2</dim>\r\n\t<dim>-1</dim>\r\n</port>", 1},
		"too few":     {"<port id=\"1\" precision=\"FP32\">\r\n\t<dim>2</dim><!-- c -->\r\n</port>", "<port id=\"1\" precision=\"FP32\">\r\n\t<dim>2</dim>\r\n\t<dim>-1</dim><!-- c -->\r\n</port>", 1},
		"none":        {`<port id="1" precision="FP32"/>`, `<port id="1" precision="FP32"><dim>2</dim><dim>-1</dim></port>`, 1},
		"none, lines": {"\r\n  <port id=\"1\" precision=\"FP32\"  />\r\n", "\r\n  <port id=\"1\" precision=\"FP32\"  >\r\n  \t<dim>2</dim>\r\n  \t<dim>-1</dim>\r\n  </port>\r\n", 1},
		"rt_info":     {`<port id="1" precision="FP32"><rt_info><dim>9</dim></rt_info></port>`, `<port id="1" precision="FP32"><dim>2</dim><dim>-1</dim><rt_info><dim>9</dim></rt_info></port>`, 1},
		"other elements": {`<other><port><dim>1</dim></port></other><port id="1" precision="FP32"><dim>2</dim><dim>8</dim></port>`,
			`<other><port><dim>1</dim></port></other><port id="1" precision="FP32"><dim>2</dim><dim>-1</dim></port>`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, n := fix(t, []byte(relu(in, "<output>"+c.output+"</output><output><port id='9'/></output>")))
			assert.Equal(t, relu(in, "<output>"+c.want+"</output><output><port id='9'/></output>"), got)
			assert.Equal(t, c.ports, n)
			again, n := fix(t, []byte(got))
			assert.Equal(t, got, again)
			assert.Zero(t, n)
		})
	}
	const out = `<output><port id="1" precision="FP32"><dim>2</dim><dim>-1</dim></port></output>`
	got, n := fix(t, []byte(relu(`<input><port id="0" precision="I8"><dim>9</dim><dim>1</dim></port></input>`, out)))
	assert.Equal(t, relu(in, out), got)
	assert.Equal(t, 1, n)
}

// TestFixPortsEncodings checks that all other bytes of the document stay, in several encodings.
func TestFixPortsEncodings(t *testing.T) {
	before := relu(`<input><port id="0"><dim>2</dim><dim>5</dim></port></input>`, `<output><port id="1" precision="I8"><dim>2</dim><dim>-1</dim></port></output>`)
	after := relu(`<input><port id="0"><dim>2</dim><dim>-1</dim></port></input>`, `<output><port id="1" precision="FP32"><dim>2</dim><dim>-1</dim></port></output>`)
	utf16le := func(s string) string {
		b := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(s)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	latin1 := func(s string) string {
		s = strings.Replace(s, `?>`, ` encoding='ISO-8859-1'?>`, 1)
		return strings.ReplaceAll(s, "é", "\xe9")
	}
	for _, encode := range []func(string) string{utf16le, latin1, func(s string) string { return "\xef\xbb\xbf" + s }} {
		got, n := fix(t, []byte(encode(before)))
		assert.Equal(t, encode(after), got)
		assert.Equal(t, 2, n)
	}
}

func TestFixPortsBody(t *testing.T) {
	registry := optest.Registry(t, builtin.Ops())
	xml := withBody("If", "<then_body>"+bodyLayers+"</then_body><else_body>"+bodyLayers+"</else_body>")
	m, err := irxml.Read(xml, nil, irxml.ReadOptions{})
	require.NoError(t, err)
	relu := m.Layers[1].Bodies[1].Model.Layers[1]
	shape := ir.StaticShape(1, 2)
	fixes := []ir.PortFix{{Layer: relu, Shape: &shape}}
	fixed, n, err := irxml.FixPorts(m, xml, fixes)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	at := bytes.LastIndex(xml, []byte(`name="br"`))
	at += bytes.Index(xml[at:], []byte(`precision="FP32"/>`)) + len(`precision="FP32"`)
	assert.Equal(t, string(xml[:at])+"><dim>1</dim><dim>2</dim></port>"+string(xml[at+len("/>"):]), string(fixed))

	_, _, err = irxml.FixPorts(m, []byte("<net><layers/></net>"), fixes)
	assert.ErrorContains(t, err, "not the one that the model was read from")
	_, _, err = irxml.FixPorts(m, []byte("<net"), fixes)
	assert.Error(t, err)
	broken, err := irxml.Read([]byte(strings.ReplaceAll(smallXML, `type="Add"`, `type="Odd"`)), smallBin, irxml.ReadOptions{})
	require.NoError(t, err)
	_, err = irtest.Validate(t, broken, registry).PortFixes()
	assert.ErrorContains(t, err, "errors")
}

var dimOrPrecision = regexp.MustCompile(`<dim>[^<]*</dim>|precision="FP32"`)

// TestFixPortsModels changes dims and precisions of all models of the tree, and fixes them.
func TestFixPortsModels(t *testing.T) {
	registry := optest.Registry(t, builtin.Ops())
	paths, err := filepath.Glob("../../testdata/ir/*/*/model.xml")
	require.NoError(t, err)
	if root := optest.CorpusIfSet(t); root != "" {
		more, err := filepath.Glob(filepath.Join(root, "*", "*", "model.xml"))
		require.NoError(t, err)
		paths = append(paths, more...)
	}
	restored := 0
	for i, path := range paths {
		xml, err := os.ReadFile(path)
		require.NoError(t, err)
		bin, _ := os.ReadFile(strings.TrimSuffix(path, "xml") + "bin")
		m, err := irxml.Read(xml, bin, irxml.ReadOptions{})
		if err != nil {
			continue
		}
		before := irtest.Validate(t, m, registry)
		if before.Errors() > 0 {
			continue
		}
		right, _, err := fixStale(m, before, xml)
		require.NoError(t, err, path)
		if stalePorts(before) == 0 {
			require.Equal(t, string(xml), string(right), path)
		}
		random := rand.New(rand.NewPCG(uint64(i), 1))
		wrong := dimOrPrecision.ReplaceAllFunc(right, func(s []byte) []byte {
			if random.IntN(2) == 0 {
				return s
			}
			if s[0] == 'p' {
				return []byte(`precision="BOOL"`)
			}
			return fmt.Appendf(nil, "<dim>%d</dim>", random.IntN(9)-1)
		})
		m, err = irxml.Read(wrong, bin, irxml.ReadOptions{})
		require.NoError(t, err, path)
		report := irtest.Validate(t, m, registry)
		if report.Errors() > 0 {
			continue // such as version 10, in which declared types decide inferred types
		}
		fixed, _, err := fixStale(m, report, wrong)
		require.NoError(t, err, path)
		m, err = irxml.Read(fixed, bin, irxml.ReadOptions{})
		require.NoError(t, err, path)
		assert.Zero(t, stalePorts(irtest.Validate(t, m, registry)), path)
		if string(fixed) == string(right) {
			restored++
		}
	}
	t.Log(restored, "of", len(paths))
	assert.Greater(t, restored, len(paths)/2)
}

// stalePorts counts the findings that FixPorts fixes.
func stalePorts(r *validate.Report) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Fixable() {
			n++
		}
	}
	return n
}
