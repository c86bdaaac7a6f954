package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
)

func TestWritten(t *testing.T) {
	m, err := irxml.Read([]byte(irtest.ReshapeXML), irtest.ReshapeBin, irxml.ReadOptions{})
	require.NoError(t, err)
	r, err := conformance.NewRunner(builtin.Ops()...)
	require.NoError(t, err)
	written, err := conformance.Written(t.Context(), m, r.Registry())
	require.NoError(t, err)
	assert.Equal(t, "[1,12]", written.Results[0].Inputs[0].Declared.String(), "not what the file declares")

	m.Layers[2].Data = append(m.Layers[2].Data, ir.Attribute{Name: "axis", Value: "1"})
	_, err = conformance.Written(t.Context(), m, r.Registry())
	assert.ErrorContains(t, err, `what was written is not valid: 22: warning: layer 2 "flat" (Reshape, opset1): attribute axis`)
	m.Layers[1].Constant = nil
	_, err = conformance.Written(t.Context(), m, r.Registry())
	assert.ErrorContains(t, err, "the model cannot be written")
}
