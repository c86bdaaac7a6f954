package bpetokenizer

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

const (
	rows  = "i32[?,2] i32[?,2] i32[?] i32[?] u8[?] "
	words = "i32[7] i32[7] u8[?] "
)

func TestShape(t *testing.T) {
	for _, inputs := range []string{
		rows + words + words, rows + words + words + words,
		rows + words + words + "i32[2] i32[2] u8[9] i32[2]", rows + words + words + words + "i32[?] i32[2] u8[9] i32[2]",
	} {
		got, err := layertest.InferOutputs(t, &Ops[0], nil, 3, strings.Fields(inputs)...)
		require.NoError(t, err)
		assert.Equal(t, []string{"i32[?,2]", "i32[?,2]", "i32[?]"}, got)
	}
	for want, inputs := range map[string]string{
		"the layer has 12 inputs, expected 11, 14, 15 or 18":                  rows + words + words + "i32[2]",
		"input 4, chars, is i8, expected u8":                                  "i32[2] i32[2] i32[2] i32[2] i8[2] " + words + words,
		"input 1, ends, is dynamic, expected i32":                             "i32[2] dynamic[2] i32[2] i32[2] u8[2] " + words + words,
		"input 5, begins, is i64, expected i32":                               rows + "i64[7] i32[7] u8[?] " + words,
		"input 9, ends, is f32, expected i32":                                 rows + words + "i32[7] f32[7] u8[?]",
		"input 13, chars, is i32, expected u8":                                rows + words + words + "i32[7] i32[7] i32[?]",
		"input 11, begins, is u8, expected i32":                               rows + words + words + "u8[2] i32[2] u8[9] i32[2]",
		"the ids of added tokens are i64, expected i32":                       rows + words + words + "i32[2] i32[2] u8[9] i64[2]",
		"the begins of added tokens have shape [2], their ids have shape [3]": rows + words + words + "i32[2] i32[2] u8[9] i32[3]",
		"the layer has 4 outputs in the file, its type has 3":                 "",
	} {
		outputs := 3
		if inputs == "" {
			inputs, outputs = rows+words+words, 4
		}
		_, err := layertest.InferOutputs(t, &Ops[0], nil, outputs, strings.Fields(inputs)...)
		assert.EqualError(t, err, want)
	}
}

func TestLayout(t *testing.T) {
	for _, n := range []int{11, 14, 15, 18} {
		pairs, hasAdded, added := layout(n)
		assert.Equal(t, pairs, slices.Contains([]int{11, 15}, n))
		assert.Equal(t, hasAdded, n > 14)
		if hasAdded {
			assert.Equal(t, n, added+4)
		}
	}
}
