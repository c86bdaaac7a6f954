package sptokenizer

import (
	"maps"
	"slices"

	"github.com/vinoir/vinoir/internal/text/sentencepiece"
)

// AddedToken is a token beside the model, or a piece of it that is found in a text itself.
type AddedToken struct {
	Text    string
	ID      int32
	Special bool
}

// Added lists the added tokens. A longer one comes before one that it starts with.
func (t *Tokenizer) Added() []AddedToken {
	texts := slices.Sorted(maps.Keys(t.added))
	slices.Reverse(texts)
	list := make([]AddedToken, len(texts))
	for i, text := range texts {
		list[i] = AddedToken{text, t.added[text], t.special[text]}
	}
	return list
}

// Model returns the SentencePiece model; nil if its ids or its texts are others than those of the
// tokenizer, added tokens apart.
func (t *Tokenizer) Model() *sentencepiece.Model {
	if t.class.fairseq || t.class.vocabulary || t.decodes != t.model {
		return nil
	}
	return t.model
}
