package embedding

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/text"
)

// Pooling says how one vector is made of those of the tokens of a text.
type Pooling string

// The kinds of Pooling, under the names that OpenVINO GenAI gives them.
const (
	// CLS is the vector of the first token. It is that of padding if a text is padded on the left.
	CLS Pooling = "CLS"
	// Mean is the mean of the vectors of all tokens.
	Mean Pooling = "MEAN"
	// LastToken is the vector of the last token. As in GenAI, Config.PaddingSide must be set unless
	// the tokenizer pads on the right: without it, LastToken counts tokens from the left.
	LastToken Pooling = "LAST_TOKEN"
)

// Config says how vectors are made. DefaultConfig and ReadConfig return one to start from.
type Config struct {
	// Pooling has no effect if the model computes a vector for each text itself.
	Pooling Pooling
	// Normalize divides vectors by their length, so that Dot is their cosine.
	Normalize bool
	// QueryInstruction stands before the texts of EmbedQuery, DocumentInstruction before those of
	// EmbedDocuments.
	QueryInstruction, DocumentInstruction string
	Length

	missing string // a module of sentence-transformers that is not computed
}

// Length says how long the rows of tokens are that a model gets.
type Length struct {
	// MaxLength is the largest number of tokens of a text, special tokens included; the rest is cut
	// off. 0 means the number that the tokenizer states, if it states one. As in GenAI, a tokenizer
	// that is a SentencepieceTokenizer does not cut.
	MaxLength int
	// PadToMaxLength fills all texts up to MaxLength.
	PadToMaxLength bool
	// PaddingSide is the side that texts are filled up on; "" is that which the tokenizer states.
	// What some models compute depends on padding on the left: so with it, as in GenAI, all texts
	// of a call are filled up to the longest. With padding on the right, there is hardly any.
	PaddingSide text.PaddingSide
}

// DefaultConfig returns the defaults of OpenVINO GenAI: CLS, normalized, without instructions.
func DefaultConfig() Config { return Config{Pooling: CLS, Normalize: true} }

// Validate returns an error that names the first field whose value is not allowed.
func (c *Config) Validate() error {
	switch c.Pooling {
	case CLS, Mean, LastToken:
	default:
		return faults.Errorf("Pooling is %q, not one of %s, %s and %s", c.Pooling, CLS, Mean, LastToken)
	}
	return c.Length.validate()
}

func (l *Length) validate() error {
	if l.MaxLength < 0 {
		return faults.Errorf("MaxLength is negative: %d", l.MaxLength)
	}
	switch l.PaddingSide {
	case "", text.PaddingLeft, text.PaddingRight:
		return nil
	}
	return faults.Errorf("PaddingSide is %q, not left or right", l.PaddingSide)
}
