package generate

import (
	"bytes"
	"context"
)

// Streamer makes pieces of text of the tokens of an answer, as GenAI's TextStreamer does. The text
// of a token can depend on those behind it: a piece ends three tokens before the last one, or at
// the end of a line. It is not safe for concurrent use. Pipeline and Chat have their own.
type Streamer struct {
	tokenizer Tokenizer
	// tokens are those since the last end of a line, and lengths the lengths of the texts that end
	// with each: incomplete if it ends in the middle of a character, unknown if it was not decoded.
	tokens  []int32
	lengths []int
	sent    int // bytes of the text of tokens
	text    []byte
	piece   []byte
}

// NewStreamer returns a Streamer without tokens.
func NewStreamer(tokenizer Tokenizer) *Streamer { return &Streamer{tokenizer: tokenizer} }

const (
	incomplete = -1
	unknown    = -2
	// delay is the number of tokens whose text can still change, and the one before them.
	delay = 3
)

// decode sets s.text to the text of tokens.
func (s *Streamer) decode(ctx context.Context, tokens []int32) (err error) {
	s.text, err = s.tokenizer.AppendDecode(ctx, s.text[:0], tokens)
	return err
}

// isIncomplete reports whether s.text ends in the middle of a character.
func (s *Streamer) isIncomplete() bool { return bytes.HasSuffix(s.text, []byte("\uFFFD")) }

// Write adds tokens, and returns the next piece of the text, which can be empty. It is valid until
// the next call.
func (s *Streamer) Write(ctx context.Context, tokens []int32) ([]byte, error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	for range tokens[1:] {
		s.lengths = append(s.lengths, unknown)
	}
	s.tokens = append(s.tokens, tokens...)
	if err := s.decode(ctx, s.tokens); err != nil {
		return nil, err
	}
	if bytes.HasSuffix(s.text, []byte("\n")) && len(s.text) > s.sent {
		s.piece = append(s.piece[:0], s.text[s.sent:]...)
		s.clear()
		return s.piece, nil
	}
	if s.isIncomplete() {
		s.lengths = append(s.lengths, incomplete)
		return nil, nil
	}
	s.lengths = append(s.lengths, len(s.text))
	at := len(s.lengths) - delay
	if at < 0 {
		return nil, nil
	}
	s.piece = append(s.piece[:0], s.text...)
	if s.lengths[at] == unknown {
		if err := s.decode(ctx, s.tokens[:at+1]); err != nil {
			return nil, err
		}
		s.lengths[at] = len(s.text)
		if s.isIncomplete() {
			s.lengths[at] = incomplete
		}
	}
	// The text can become shorter with a token.
	if until := min(s.lengths[at], len(s.piece)); until > s.sent {
		from := s.sent
		s.sent = until
		return s.piece[from:until], nil
	}
	return nil, nil
}

// End returns the rest of the text, which is valid until the next call. The next token begins
// another text.
func (s *Streamer) End(ctx context.Context) ([]byte, error) {
	if err := s.decode(ctx, s.tokens); err != nil {
		return nil, err
	}
	rest := s.text[min(s.sent, len(s.text)):]
	s.clear()
	return rest, nil
}

func (s *Streamer) clear() { s.tokens, s.lengths, s.sent = s.tokens[:0], s.lengths[:0], 0 }
