package generate

import (
	"bytes"
	"context"
	"errors"
)

// Tokenizer makes tokens of texts, and texts of tokens. It must be safe for concurrent use. Texts
// need not be valid UTF-8.
type Tokenizer interface {
	// AppendEncode appends the tokens of text to tokens. If special is set, the tokenizer adds the
	// special tokens that it adds to texts, such as one for the beginning.
	AppendEncode(ctx context.Context, tokens []int32, text string, special bool) ([]int32, error)
	// AppendDecode appends the text of tokens, without special tokens, to text. Bytes that are not
	// valid UTF-8 become U+FFFD.
	AppendDecode(ctx context.Context, text []byte, tokens []int32) ([]byte, error)
}

// stopper looks for stop strings in the text of the last tokens of an answer.
type stopper struct {
	tokenizer Tokenizer
	texts     []string
	include   bool
	tokens    int // the greatest number of tokens of one of texts
	text      []byte
}

// newStopper returns a stopper for the stop strings of config; nil if there are none.
func newStopper(ctx context.Context, tokenizer Tokenizer, config *Config) (*stopper, error) {
	if len(config.StopStrings) == 0 {
		return nil, nil
	}
	if tokenizer == nil {
		return nil, errors.New("StopStrings need the Tokenizer of a Pipeline")
	}
	s := &stopper{tokenizer: tokenizer, texts: sortedTexts(config.StopStrings), include: config.IncludeStopString}
	for _, text := range s.texts {
		tokens, err := tokenizer.AppendEncode(ctx, nil, text, false)
		if err != nil {
			return nil, err
		}
		s.tokens = max(s.tokens, len(tokens))
	}
	return s, nil
}

// match looks for a stop string in the text of the last tokens, as many as the longest stop string
// has. It returns the number of tokens to remove, so that the rest holds the text before the stop
// string, or up to its end.
func (s *stopper) match(ctx context.Context, tokens []int32) (remove int, found bool, err error) {
	if len(tokens) < s.tokens {
		return 0, false, nil
	}
	tokens = tokens[len(tokens)-s.tokens:]
	if s.text, err = s.tokenizer.AppendDecode(ctx, s.text[:0], tokens); err != nil {
		return 0, false, err
	}
	for _, text := range s.texts {
		at := bytes.Index(s.text, []byte(text))
		if at < 0 {
			continue
		}
		if s.include {
			at += len(text)
		}
		kept := bytes.Clone(bytes.TrimRight(s.text[:at], " \n"))
		if len(kept) == 0 {
			return len(tokens), true, nil
		}
		for n := 1; n < len(tokens); n++ {
			if s.text, err = s.tokenizer.AppendDecode(ctx, s.text[:0], tokens[:n]); err != nil {
				return 0, false, err
			}
			if bytes.Contains(s.text, kept) {
				return len(tokens) - n, true, nil
			}
		}
		return 0, true, nil
	}
	return 0, false, nil
}
