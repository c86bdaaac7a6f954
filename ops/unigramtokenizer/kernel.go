package unigramtokenizer

import (
	"github.com/vinoir/vinoir/internal/text/unigram"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/tokenizing"
)

// prepare makes a unigram.Tokenizer, once for a layer.
func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	temporary, kept := unigram.Bytes(tokenizing.Len(p, tokenizing.Vocabulary))
	made, err := tokenizing.Once(p, temporary, kept, func() (any, error) {
		pieces, err := tokenizing.ConstantStrings(p, tokenizing.Vocabulary, "vocabulary")
		if err != nil {
			return nil, err
		}
		v := &unigram.Vocabulary{Pieces: pieces, Scores: ir.Data[float32](p.Inputs[scores].Tensor), Unknown: p.Attributes.(attributes).unknown}
		return unigram.New(v, p.Reserve, p.Stop)
	})
	if err != nil {
		return nil, err
	}
	return tokenizing.Prepare[unigram.Scratch](p, made.(*unigram.Tokenizer)), nil
}
