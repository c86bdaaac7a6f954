// Package sentencepiece computes the tokens of SentencePiece models, and their text: see package
// internal/text/sentencepiece.
//
//	SentencepieceTokenizer          strings to ids
//	SentencepieceDetokenizer        ids to strings
//	SentencepieceStreamDetokenizer  ids to the texts of their pieces, with U+2581 for a space
//
// Versions: extension.
//
// Inputs of SentencepieceTokenizer: the model, a vector of u8; the texts, a tensor of strings, or
// begins and ends, of type i32, and chars, of type u8: text i is chars[begins[i]:ends[i]].
// Optional: special tokens as begins, ends and chars, and their ids, of type i32. Special tokens
// are found in the order given, those of ASCII letters only at the start or end of a word; what is
// between them is encoded alone. Outputs: a sparse matrix with a row of ids for each text. Its
// indices, of type i64 and shape [n, 2], its values, of type i32 and shape [n], and its shape, two
// elements of i64.
//
// Attributes: nbest_size, 0 if missing, and alpha, 1 if missing, choose a segmentation at random,
// as Options of the core describes; each run goes on in the same sequence of random numbers.
// add_bos and add_eos add the pieces of the start and the end of text, reverse reverses each row;
// false if missing.
//
// Inputs of the detokenizers: the model, and ids, of type i32 and shape [rows, columns]. Outputs:
// begins and ends, of type i32 and shape [rows], and chars. Ids beyond the pieces are left out.
//
// Errors: a model that is damaged, attributes that it cannot follow, a range outside of chars,
// fewer ids than special tokens, a text with a control symbol as a piece, and a negative id.
//
// Specification: OpenVINO Tokenizers.
package sentencepiece

import (
	"math"

	"github.com/vinoir/vinoir/internal/text/sentencepiece"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// Ops are the layer types of this family.
var Ops = []ops.Op{
	{
		Type: "SentencepieceTokenizer", Namespace: "extension",
		Inputs:     ops.Between(2, 8),
		Attributes: parse,
		Values:     []int{0},
		Infer:      inferTokenizer,
		Prepare:    prepareTokenizer,
	},
	{
		Type: "SentencepieceDetokenizer", Namespace: "extension",
		Inputs:  ops.Exactly(2),
		Values:  []int{0},
		Infer:   inferDetokenizer,
		Prepare: prepareDetokenizer,
	},
	{
		Type: "SentencepieceStreamDetokenizer", Namespace: "extension",
		Inputs:  ops.Exactly(2),
		Values:  []int{0},
		Infer:   inferDetokenizer,
		Prepare: prepareStreamDetokenizer,
	},
}

func parse(a *ir.Attributes) (any, error) {
	samples := a.Int("nbest_size", 0)
	if samples < math.MinInt32 || samples > math.MaxInt32 {
		a.Fail("nbest_size", "%d does not fit an i32", samples)
	}
	o := sentencepiece.Options{
		Samples: int(samples), Alpha: float32(a.Float("alpha", 1)),
		BOS: a.Bool("add_bos", false), EOS: a.Bool("add_eos", false), Reverse: a.Bool("reverse", false),
	}
	return o, a.Err()
}
