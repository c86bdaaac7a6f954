package ops

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/ir"
)

func TestSetOutputs(t *testing.T) {
	a, b := ir.Fact{Type: ir.F32, Shape: ir.StaticShape(2)}, ir.Fact{Type: ir.I64, Shape: ir.UnknownRank}
	in := &Inference{Outputs: make([]ir.Fact, 1)}
	assert.NoError(t, SetOutputs(in, a, b))
	assert.Equal(t, []ir.Fact{a}, in.Outputs)
	in.Outputs = make([]ir.Fact, 2)
	assert.NoError(t, SetOutputs(in, a, b))
	assert.Equal(t, []ir.Fact{a, b}, in.Outputs)
	in.Outputs = make([]ir.Fact, 3)
	assert.EqualError(t, SetOutputs(in, a, b), "the layer has 3 outputs in the file, its type has 2")
}
