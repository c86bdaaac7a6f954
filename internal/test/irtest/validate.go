package irtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/validate"
)

// Validate returns the result of validate.Model, which must succeed.
func Validate(t testing.TB, m *ir.Model, rules infer.Rules) *validate.Report {
	r, err := validate.Model(t.Context(), m, rules, nil)
	require.NoError(t, err)
	return r
}
