package textinput

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

func TestFind(t *testing.T) {
	ids, mask, beams, rows := 5, 5, 5, 5
	known := []Input{Of(IDs, &ids), Of(Mask, &mask), Of(Beams, &beams)}
	added := Input{"rows", ir.F32, &rows}
	require.NoError(t, Find([]plugin.Port{
		{Name: "Parameter_1", Names: []string{"other", "beam_idx"}, Type: ir.I32}, {Name: "input_ids", Type: ir.I64}, {Name: "rows", Type: ir.F32},
	}, known, added))
	assert.Equal(t, []int{1, -1, 0, 2}, []int{ids, mask, beams, rows})
	for want, ports := range map[string][]plugin.Port{
		`input "Parameter_2" is none of input_ids, attention_mask and beam_idx`: {{Name: "Parameter_2", Names: []string{"token_type_ids"}, Type: ir.I64}},
		`input "rows" is i64, not f32`:                                          {{Name: "rows", Type: ir.I64}},
		`input "a" is i32, not i64`:                                             {{Name: "a", Names: []string{"attention_mask"}, Type: ir.I32}},
		"it has no input input_ids":                                             {{Name: "attention_mask", Type: ir.I64}},
	} {
		assert.EqualError(t, Find(ports, known, added), want)
	}
	assert.ErrorContains(t, Find([]plugin.Port{{Name: "rows", Type: ir.F32}}, known), `input "rows" is none of`)
}
