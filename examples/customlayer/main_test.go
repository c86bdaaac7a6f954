package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// TestRun checks what the program prints. The spherical law of cosines gives the same lengths.
func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out))
	assert.Equal(t, `start  f32[?,2]
via    f32[?,2]
end    f32[?,2]
length f32[?]
[1221 5950] km
`, out.String())
}

func TestInfer(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"[3,2]", "[3,2]", "[3]"},
		{"[?,2]", "[3..5,2]", "[3..5]"},
		{"[..4,?]", "[3..,2]", "[3..4]"},
		{"[...]", "[...]", "[?]"},
		{"[3,2]", "[4,2]", "input 1 is [4,2], expected [3,2]"},
		{"[3,3]", "[3,2]", "input 0 is [3,3], expected [?,2]"},
		{"[2]", "[2]", "input 0 is [2], expected [?,2]"},
	} {
		in := &ops.Inference{Outputs: make([]ir.Fact, 1)}
		for _, text := range []string{c.from, c.to} {
			shape, err := ir.ParsePartialShape(text)
			require.NoError(t, err)
			in.Inputs = append(in.Inputs, ir.Fact{Type: ir.F32, Shape: shape})
		}
		if err := infer(in); err != nil {
			assert.EqualError(t, err, c.want)
		} else {
			assert.Equal(t, c.want, in.Outputs[0].Shape.String())
		}
	}
}
