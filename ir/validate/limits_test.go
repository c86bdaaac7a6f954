package validate_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/validate"
)

// TestFindingsAreBounded has more stale ports than findings are reported, with long shapes, and an
// error behind them.
func TestFindingsAreBounded(t *testing.T) {
	long := strings.Repeat("1000000000000000000..2000000000000000000,", 63) + "7"
	x := irtest.Parameter("x", long)
	layers := []*ir.Layer{x}
	for range 101_000 {
		sum := irtest.Layer("", "Sum", x, x)
		sum.Outputs = []ir.Output{{Declared: ir.StaticShape(1)}}
		layers = append(layers, sum)
	}
	layers = append(layers, irtest.Layer("odd", "Odd", x))
	m := irtest.Model(layers...)
	r := irtest.Validate(t, m, irtest.SumRules())
	require.Equal(t, 1, r.Errors(), "errors are reported, however many warnings precede them")
	require.Len(t, r.Findings, 100_002)
	assert.Less(t, len(r.Findings[0].Message), 1000)
	assert.Less(t, len(r.Findings[0].Inferred), 500)
	last := r.Findings[100_001]
	assert.Contains(t, last.Message, "more findings, which are not reported")

	m.Order, m.Layers = m.Order[:101_001], m.Layers[:101_001]
	r = irtest.Validate(t, m, irtest.SumRules())
	require.Zero(t, r.Errors())
	_, err := r.PortFixes()
	require.ErrorContains(t, err, "findings are not reported")
}

func TestModelStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := validate.Model(ctx, irtest.Model(irtest.Parameter("x", "1")), irtest.SumRules(), nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, r)
}
