package irxml_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/internal/test/limittest"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// FuzzFixPorts fixes random documents. The result must be readable and need no more fixes. All
// stages together must stay within the limits of one.
func FuzzFixPorts(f *testing.F) {
	addModels(f)
	registry := optest.Registry(f, builtin.Ops())
	f.Fuzz(func(t *testing.T, xml []byte) {
		limittest.Run(t, stageLimits, func(context.Context) { checkFixPorts(t, registry, xml) })
	})
}

func checkFixPorts(t *testing.T, registry *plugin.Registry, xml []byte) {
	m, err := irxml.Read(xml, irtest.ReshapeBin, irxml.ReadOptions{})
	if err != nil {
		return
	}
	report := irtest.Validate(t, m, registry)
	if report.Errors() > 0 {
		return
	}
	fixed, n, err := fixStale(m, report, xml)
	require.NoError(t, err)
	if n == 0 {
		require.Equal(t, xml, fixed)
		return
	}
	again, err := irxml.Read(fixed, irtest.ReshapeBin, irxml.ReadOptions{})
	require.NoError(t, err)
	require.Equal(t, len(m.Layers), len(again.Layers))
	// In version 10, declared types decide inferred types, so one fix can require another.
	if m.Version > 10 {
		require.Zero(t, stalePorts(irtest.Validate(t, again, registry)), "%s", fixed)
	}
}

// addModels adds models with different kinds of stale ports to the seeds.
func addModels(f *testing.F) {
	const in = `<input><port id="0" precision="FP32"><dim>2</dim><dim>-1</dim></port></input>`
	for _, out := range []string{
		`<output><port id="1" precision="I8"><dim>7</dim><dim>-1</dim></port></output>`,
		"<output>\r\n <port id='1' precision = 'FP32' />\n</output>",
		`<output><port id="1" precision="&#70;P16"><dim><![CDATA[4]]></dim><!-- c --><dim> 5x</dim><dim>6</dim></port></output>`,
	} {
		f.Add([]byte(relu(in, out)))
	}
	f.Add([]byte(irtest.ReshapeXML))
	f.Add([]byte("\xff\xfe" + utf16Text(relu(in, `<output><port id="1" precision="I8"/></output>`))))
	f.Add(withBody("If", "<then_body>"+bodyLayers+"</then_body><else_body>"+bodyLayers+"</else_body>"))
}

// utf16Text returns s in UTF-16, little-endian.
func utf16Text(s string) string {
	var b []byte
	for _, r := range s {
		b = append(b, byte(r), byte(r>>8))
	}
	return string(b)
}
