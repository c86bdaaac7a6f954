package main

import (
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
