package sentencepiece

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

func TestShape(t *testing.T) {
	tokenized := []string{"i64[?,2]", "i32[?]", "i64[2]"}
	for _, c := range []struct {
		layerType string
		inputs    []string
		want      []string
		err       string
	}{
		{"SentencepieceTokenizer", []string{"u8[9]", "string[?]"}, tokenized, ""},
		{"SentencepieceTokenizer", []string{"u8[9]", "i32[?]", "i32[?]", "u8[?]"}, tokenized, ""},
		{"SentencepieceTokenizer", []string{"u8[9]", "string[...]", "i32[2]", "i32[2]", "u8[5]", "i32[2]"}, tokenized, ""},
		{"SentencepieceTokenizer", []string{"u8[9]", "i32[?]", "i32[?]", "u8[?]", "i32[2]", "i32[2]", "u8[5]", "i32[2]"}, tokenized, ""},
		{"SentencepieceTokenizer", []string{"u8[9]", "string[?]", "i32[2]"}, nil, "the layer has 3 inputs, expected 2, 4, 6 or 8"},
		{"SentencepieceTokenizer", []string{"i8[9]", "string[?]"}, nil, "the model is i8, expected u8"},
		{"SentencepieceTokenizer", []string{"u8[9]", "u8[?]"}, nil, "input 1, texts, is u8, expected string"},
		{"SentencepieceTokenizer", []string{"u8[9]", "i32[?]", "i64[?]", "u8[?]"}, nil, "input 2, ends, is i64, expected i32"},
		{"SentencepieceTokenizer", []string{"u8[9]", "i32[2]", "i32[3]", "u8[?]"}, nil, "input 1, begins, has shape [2], input 2, ends, has shape [3]"},
		{"SentencepieceTokenizer", []string{"u8[9]", "string[1]", "i32[2]", "i32[3]", "u8[?]", "i32[2]"}, nil, "input 2, begins, has shape [2], input 3, ends, has shape [3]"},
		{"SentencepieceDetokenizer", []string{"u8[9]", "i32[..3,?]"}, []string{"i32[..3]", "i32[..3]", "u8[?]"}, ""},
		{"SentencepieceDetokenizer", []string{"u8[9]", "i32[...]"}, []string{"i32[?]", "i32[?]", "u8[?]"}, ""},
		{"SentencepieceDetokenizer", []string{"f32[9]", "i32[...]"}, nil, "the model is f32, expected u8"},
		{"SentencepieceStreamDetokenizer", []string{"u8[9]", "i64[2,3]"}, nil, "ids is i64, expected i32"},
		{"SentencepieceStreamDetokenizer", []string{"u8[9]", "i32[2]"}, nil, "ids has shape [2], expected rank 2"},
	} {
		got, err := layertest.InferOutputs(t, find(t, c.layerType), nil, 3, c.inputs...)
		if c.err != "" {
			assert.EqualError(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
}

// TestShape_model has models that are damaged: the rule says so while the shape of the texts is
// unknown.
func TestShape_model(t *testing.T) {
	for want, data := range map[string][]byte{"none of the pieces is unknown": nil, "field 1 at byte 0 of the model is damaged": {10, 9}} {
		in := &ops.Inference{Inputs: []ir.Fact{{Type: ir.U8, Shape: ir.StaticShape(len(data)), Tensor: bytesOf(t, data)}, layertest.Fact(t, "string[?]")}, Outputs: make([]ir.Fact, 3)}
		assert.EqualError(t, inferTokenizer(in), want)
		in.Inputs[1] = layertest.Fact(t, "i32[?,?]")
		assert.EqualError(t, inferDetokenizer(in), want)
	}
}
