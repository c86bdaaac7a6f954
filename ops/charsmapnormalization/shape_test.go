package charsmapnormalization

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

func TestShape(t *testing.T) {
	for _, c := range []struct {
		layerType  string
		attributes layertest.Attributes
		outputs    int
		inputs     []string
		want       []string
		err        string
	}{
		{"CharsMapNormalization", layertest.Attributes{"normalization_form", "nfc"}, 3, []string{"i32[2]", "i32[?]", "u8[7]"}, []string{"i32[2]", "i32[2]", "u8[?]"}, ""},
		{"CharsMapNormalization", layertest.Attributes{"normalization_form", "NFKD"}, 4, []string{"i32[..3]", "i32[2..]", "u8[?]", "boolean[?]"}, []string{"i32[2..3]", "i32[2..3]", "u8[?]", "boolean[?]"}, ""},
		{"CharsMapNormalization", nil, 3, []string{"i32[...]", "i32[...]", "u8[...]", "u8[9]"}, []string{"i32[...]", "i32[...]", "u8[?]"}, ""},
		{"CharsMapNormalization", nil, 4, []string{"i32[]", "i32[]", "u8[1]", "boolean[1]", "u8[9]"}, []string{"i32[]", "i32[]", "u8[?]", "boolean[1]"}, ""},
		{"CharsMapNormalization", nil, 3, []string{"i32[2]", "i32[2]", "u8[7]"}, nil, "the layer has neither a normalization_form nor a map of characters"},
		{"CharsMapNormalization", nil, 3, []string{"i32[2]", "i32[2]", "u8[7]", "boolean[2]"}, nil, "input 3, map of characters, is boolean, expected u8"},
		{"CharsMapNormalization", nil, 4, []string{"i32[2]", "i32[2]", "u8[7]", "u8[2]", "u8[9]"}, nil, "input 3, skips, is u8, expected boolean"},
		{"CharsMapNormalization", layertest.Attributes{"normalization_form", "nfc"}, 4, []string{"i32[2]", "i32[2]", "u8[7]"}, nil, "the layer has 4 outputs in the file, its type has 3"},
		{"NormalizeUnicode", nil, 3, []string{"i32[2]", "i32[2]", "u8[7]"}, []string{"i32[2]", "i32[2]", "u8[?]"}, ""},
		{"NormalizeUnicode", nil, 3, []string{"i32[2]", "i32[3]", "u8[7]"}, nil, "input 0, begins, has shape [2], input 1, ends, has shape [3]"},
		{"NormalizeUnicode", nil, 3, []string{"i64[2]", "i32[2]", "u8[7]"}, nil, "input 0, begins, is i64, expected i32"},
		{"NormalizeUnicode", nil, 3, []string{"i32[2]", "i64[2]", "u8[7]"}, nil, "input 1, ends, is i64, expected i32"},
		{"NormalizeUnicode", layertest.Attributes{"normalization_form", "nfc"}, 3, []string{"i32[2]", "i32[2]", "u8[7]"}, nil, `attribute normalization_form: "nfc", expected NFC, NFD, NFKC or NFKD`},
		{"CaseFold", nil, 4, []string{"i32[2]", "i32[2]", "u8[7]", "boolean[2]"}, []string{"i32[2]", "i32[2]", "u8[?]", "boolean[2]"}, ""},
		{"CaseFold", nil, 3, []string{"i32[2]", "i32[2]", "i8[7]"}, nil, "input 2, chars, is i8, expected u8"},
		{"CaseFold", layertest.Attributes{"encoding", "ascii"}, 3, []string{"i32[2]", "i32[2]", "u8[7]"}, nil, `attribute encoding: "ascii", expected utf-8 or nothing`},
		{"CaseFold", layertest.Attributes{"lower", "false"}, 3, []string{"i32[2]", "i32[2]", "u8[7]"}, nil, "attribute lower: false with encoding utf-8, expected true"},
	} {
		op := layertest.FindType(t, Ops, c.layerType+"-extension")
		got, err := layertest.InferOutputs(t, op, c.attributes, c.outputs, c.inputs...)
		if c.err != "" {
			assert.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
}
