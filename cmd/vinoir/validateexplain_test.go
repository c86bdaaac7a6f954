package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValidate_explain(t *testing.T) {
	got := vinoir("", "validate", messages, "--explain", "sum")
	assert.Equal(t, exitGood, got.code)
	assert.True(t, strings.HasPrefix(got.stdout, `layer `), got.stdout)
	assert.Contains(t, got.stdout, ` "sum" (`)
	assert.Contains(t, got.stdout, "f32[?,2]\n  dim 0 = ?")
	assert.Contains(t, got.stdout, `input "nodes"`)
	assert.Contains(t, got.stdout, "  dim 1 = 2")
	assert.Equal(t, got, vinoir("", "validate", messages, "--explain", "sum:0"))

	v := decode[validation](t, vinoir("", "validate", messages, "--explain", "sum", "--json"))
	require.Len(t, v.Explanations, 1)
	e := v.Explanations[0]
	assert.Equal(t, "[?,2]", e.Shape)
	require.Len(t, e.Dims, 2)
	for _, o := range e.Origins {
		for _, c := range o.Causes {
			assert.Less(t, c.Origin, len(e.Origins))
		}
	}
	// The causes of the first dim lead to the input.
	o := e.Origins[e.Dims[0]]
	for len(o.Causes) > 0 {
		o = e.Origins[o.Causes[0].Origin]
	}
	assert.Equal(t, "input", o.Source)
	assert.Equal(t, "nodes", o.Layer)
	byID := vinoir("", "validate", messages, "--explain", "0")
	assert.Contains(t, byID.stdout, "layer 0 ")
}

// TestValidate_explainFault explains the inputs of a layer that rejects them.
func TestValidate_explainFault(t *testing.T) {
	got := vinoir("", "validate", messages, "--shape", "nodes=[5,3]", "--explain", "sum")
	assert.Equal(t, exitFault, got.code)
	assert.Contains(t, got.stdout, "  input 0: f32[5,3]\n    dim 0 = 5 from")
	assert.Contains(t, got.stdout, `input "nodes"`)
	v := decode[validation](t, vinoir("", "validate", messages, "--shape", "nodes=[5,3]", "--explain", "sum", "--json"))
	require.Len(t, v.Explanations, 1)
	assert.NotEmpty(t, v.Explanations[0].Error)
	assert.Len(t, v.Explanations[0].Inputs[0].Dims, 2)
	for _, o := range v.Explanations[0].Origins {
		if o.Source == "constant" {
			assert.NotNil(t, o.Offset)
		}
	}
}

// TestValidate_explainTooMuch has many outputs of one name, of which only the first ones are
// explained.
func TestValidate_explainTooMuch(t *testing.T) {
	const n = 1000
	shape := strings.Repeat("?,", 59) + "?"
	var layers, edges strings.Builder
	for i := range n {
		fmt.Fprintf(&layers, `<layer id="%d" name="end" type="Relu" version="opset1"><input><port id="0"/></input><output><port id="1" precision="FP32"/></output></layer>`, i+1)
		fmt.Fprintf(&layers, `<layer id="%d" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>`, n+i+1)
		fmt.Fprintf(&edges, `<edge from-layer="0" from-port="0" to-layer="%d" to-port="0"/><edge from-layer="%[1]d" from-port="1" to-layer="%[2]d" to-port="0"/>`, i+1, n+i+1)
	}
	path := filepath.Join(t.TempDir(), "model.xml")
	xml := `<net name="m" version="11"><layers><layer id="0" name="x" type="Parameter" version="opset1"><data shape="` + shape +
		`" element_type="f32"/><output><port id="0" precision="FP32"/></output></layer>` + layers.String() + `</layers><edges>` + edges.String() + `</edges></net>`
	require.NoError(t, os.WriteFile(path, []byte(xml), 0o600))

	v := decode[validation](t, vinoir("", "validate", path, "--no-bin", "--explain", "end", "--json"))
	assert.Positive(t, v.Unexplained)
	assert.Len(t, v.Explanations, n-v.Unexplained)
	got := vinoir("", "validate", path, "--no-bin", "--explain", "end")
	assert.Contains(t, got.stdout, fmt.Sprintf("\n%d more outputs are not explained", v.Unexplained))
	assert.Zero(t, decode[validation](t, vinoir("", "validate", path, "--no-bin", "--explain", "1", "--json")).Unexplained)
}
