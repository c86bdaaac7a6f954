package spaceblock

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

func facts(t *testing.T, texts ...string) []ir.Fact {
	list := []ir.Fact{layertest.Fact(t, "f32[...]")}
	for _, text := range texts {
		list = append(list, layertest.Fact(t, text))
	}
	return list
}

func TestShape(t *testing.T) {
	s, err := MergeShapes(facts(t, "i64[?]", "i64[...]", "i64[2..3]"), "pads")
	require.NoError(t, err)
	assert.Equal(t, "[2..3]", s.String())
	_, err = MergeShapes(facts(t, "i64[?]", "i64[]", "i64[2..3]"), "pads")
	assert.EqualError(t, err, "pads_begin has shape [], expected rank 1")
	_, err = MergeShapes(facts(t, "i64[2]", "i64[...]", "i64[3]"), "crops")
	assert.EqualError(t, err, "crops_end has shape [3], the inputs before it have [2]")
}

func TestValues(t *testing.T) {
	v := ValuesOf(facts(t, "i64[2]=2,3", "i64[2]=0,1", "i64[2]=0,2"))
	assert.Equal(t, Values{[]int64{2, 3}, []int64{0, 1}, []int64{0, 2}}, v)
	assert.Equal(t, ir.Dim(6), v.BlockElements())
	v = ValuesOf(facts(t, "i64[2]=2,-3", "i64[2]=0,1", "i64[2]=0,2..3"))
	assert.Equal(t, Values{Block: []int64{2, -3}}, v)
	assert.Equal(t, ir.Dim(0), v.BlockElements())
	assert.Equal(t, Values{}, ValuesOf(facts(t, "i64[2]", "i64[2]", "i64[2]=0,1")))
}
