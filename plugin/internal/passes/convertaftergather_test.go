package passes

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
)

func TestConvertAfterGather(t *testing.T) {
	ids, axis, table := layer("Parameter", "ids"), constant(t, "axis"), layer("Constant", "table")
	var err error
	table.Constant, err = ir.NewTensor(ir.F16, 100, 2)
	require.NoError(t, err)
	wide := layer("Convert", "wide", table)
	gather := layer("Gather", "gather", wide, ids, axis)
	fixed := layer("Gather", "fixed", wide, axis, axis)
	m := model(ids, axis, table, wide, fixed, gather, layer("Result", "r", gather), layer("Result", "s", fixed))
	g := graphOf(t, m)
	require.True(t, ConvertAfterGather(g))
	convert := g.Model.Results[0].Inputs[0].Source
	require.Equal(t, "Convert", convert.Type)
	taken := convert.Inputs[0].Source
	assert.Equal(t, "Gather", taken.Type)
	assert.Equal(t, "table", taken.Inputs[0].Source.Name)
	assert.Equal(t, []string{"ids", "table", "axis", "gather", "gather", "r", "wide", "fixed", "s"}, names(g.Model))
	assert.Equal(t, "fixed", g.Model.Results[1].Inputs[0].Source.Name, "indices that are constant")

	g.Shapes, err = infer.Propagate(t.Context(), g.Model, rules{}, nil)
	require.NoError(t, err)
	assert.False(t, ConvertAfterGather(g), "a second time")
}
