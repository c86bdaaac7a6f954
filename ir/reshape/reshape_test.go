package reshape_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/reshape"
)

// TestInputs_names finds inputs by the names of their layers and tensors.
func TestInputs_names(t *testing.T) {
	x, y := irtest.Parameter("x", "?,2..5"), irtest.Parameter("y", "3,4..")
	x.Outputs = []ir.Output{{Names: []string{"tensor_x"}, Declared: ir.UnknownRank}}
	sum := irtest.Layer("sum", "Sum", x, y)
	m := irtest.Model(x, y, sum)
	for _, name := range []string{"x", "tensor_x"} {
		reshaped, err := reshape.Inputs(t.Context(), m, irtest.SumRules(), map[string]ir.PartialShape{name: ir.StaticShape(3, 5)})
		require.NoError(t, err)
		s, err := infer.Propagate(t.Context(), reshaped, irtest.SumRules(), nil)
		require.NoError(t, err)
		assert.Equal(t, "[3,5]", s.Outputs(reshaped.Layers[sum.Index])[0].Shape.String())
	}
	_, err := reshape.Inputs(t.Context(), m, irtest.SumRules(), map[string]ir.PartialShape{"z": {}})
	assert.ErrorContains(t, err, `input "z"`)
}
