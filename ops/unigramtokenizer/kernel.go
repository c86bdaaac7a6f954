package unigramtokenizer

import (
	"github.com/vinoir/vinoir/internal/text/unigram"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
	"github.com/vinoir/vinoir/ops/internal/tokenizing"
)

func prepare(p *ops.Preparation) (*ops.Prepared, error) {
	core, err := Core(p)
	if err != nil {
		return nil, err
	}
	return tokenizing.Prepare[unigram.Scratch](p, core, 0), nil
}

// Core returns what the layer does with one string. The inputs from the vocabulary on must be
// known.
func Core(p *ops.Preparation) (*unigram.Tokenizer, error) {
	temporary, kept := unigram.Bytes(tokenizing.Len(p, tokenizing.Vocabulary))
	made, err := tokenizing.Once(p, tokenizing.Vocabulary, len(p.Inputs), temporary, kept, func() (any, error) {
		pieces, err := decomposed.ConstantStrings(p, tokenizing.Vocabulary, "vocabulary")
		if err != nil {
			return nil, err
		}
		v := &unigram.Vocabulary{Pieces: pieces, Scores: ir.Data[float32](p.Inputs[scores].Tensor), Unknown: p.Attributes.(attributes).unknown}
		return unigram.New(v, p.Reserve, p.Stop)
	})
	if err != nil {
		return nil, err
	}
	return made.(*unigram.Tokenizer), nil
}
