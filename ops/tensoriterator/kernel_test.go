package tensoriterator

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// TestPrepare_types has inputs of other types than the Parameter that they feed, which no
// inference could run. Package plugin tests the kernel, because it can run bodies.
func TestPrepare_types(t *testing.T) {
	for input, want := range map[string]string{
		"f32[4,2]": "",
		"f16[4,2]": "input 0 is f16, layer 0 \"Parameter\" (Parameter, opset1) of the body is f32",
		"i32[4,2]": "input 0 is i32, layer 0 \"Parameter\" (Parameter, opset1) of the body is f32",
	} {
		for _, port := range []ir.BodyPort{whole, {}} {
			_, layer := identity(t, input, port, whole)
			_, err := prepare(&ops.Preparation{
				Layer: layer, Inputs: []ir.Fact{layertest.Fact(t, input)}, Outputs: []ir.Fact{layertest.Fact(t, "f32[4,2]")},
			})
			switch {
			case want != "":
				assert.EqualError(t, err, want, "%s", input)
			case port.Sliced:
				require.NoError(t, err, "%s", input)
			}
		}
	}
}
