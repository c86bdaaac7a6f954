package generate

import (
	"bytes"
	"context"
)

// Streamer makes pieces of text of the tokens of an answer, as GenAI's TextStreamer does. The text
// of a token can depend on those behind it: a piece ends three tokens before the last one, or at
// the end of a line. GenAI waits while the text ends in the middle of a character; a Streamer goes
// on after 96 tokens, so that an answer that is not valid UTF-8 arrives as well. The time of a
// token does not depend on the length of the answer.
//
// It is not safe for concurrent use. Pipeline and Chat have their own.
type Streamer struct {
	tokenizer Tokenizer
	tokens    []int32        // since the last end of a line; of a long line the last ones
	ends      [delay]textEnd // of the texts that end with each of the last tokens
	sent      int            // bytes of the text of tokens
	waiting   int            // tokens since the last piece
	text      []byte
	piece     []byte
}

// textEnd says where a text ends. The zero value is that of a text that was not decoded.
type textEnd struct {
	length     int // in bytes, without the beginning of a character
	incomplete bool
	decoded    bool
}

// NewStreamer returns a Streamer without tokens.
func NewStreamer(tokenizer Tokenizer) *Streamer { return &Streamer{tokenizer: tokenizer} }

const (
	// delay is the number of tokens whose text can still change, and the one before them.
	delay = 3
	// maxWaiting is the number of tokens without a piece after which a text may end in the middle
	// of a character: that of 30 characters with a token for each byte.
	maxWaiting = 96
	// A line of more than maxTokens goes on with its last keptTokens, which are more than those
	// whose text is not sent.
	maxTokens  = 256
	keptTokens = 128
)

// decode sets s.text to the text of tokens.
func (s *Streamer) decode(ctx context.Context, tokens []int32) (err error) {
	s.text, err = s.tokenizer.AppendDecode(ctx, s.text[:0], tokens)
	return err
}

// end returns where s.text ends. The beginning of a character has at most three bytes, and each can
// be a U+FFFD.
func (s *Streamer) end() textEnd {
	complete := s.text
	for range 3 {
		complete = bytes.TrimSuffix(complete, []byte("\uFFFD"))
	}
	return textEnd{length: len(complete), incomplete: len(complete) < len(s.text), decoded: true}
}

// Write adds tokens, and returns the next piece of the text, which can be empty. It is valid until
// the next call.
func (s *Streamer) Write(ctx context.Context, tokens []int32) ([]byte, error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	s.tokens = append(s.tokens, tokens...)
	s.waiting += len(tokens)
	if err := s.decode(ctx, s.tokens); err != nil {
		return nil, err
	}
	s.piece = append(s.piece[:0], s.text...)
	from := min(s.sent, len(s.piece)) // the text can become shorter with a token
	if bytes.HasSuffix(s.piece, []byte("\n")) && len(s.piece) > from {
		s.clear()
		return s.piece[from:], nil
	}
	for range tokens[1:] {
		s.ends = [delay]textEnd{s.ends[1], s.ends[2]}
	}
	s.ends = [delay]textEnd{s.ends[1], s.ends[2], s.end()}
	until, err := s.settled(ctx)
	if err != nil {
		return nil, err
	}
	if until = min(until, len(s.piece)); until > s.sent {
		s.sent, s.waiting = until, 0
	}
	if len(s.tokens) > maxTokens {
		until, err = s.shorten(ctx)
	}
	return s.piece[from:max(from, until)], err
}

// settled returns the length of the text that will not change; 0 if that is not known yet.
func (s *Streamer) settled(ctx context.Context) (int, error) {
	late := s.waiting > maxWaiting
	if len(s.tokens) < delay || !late && s.ends[delay-1].incomplete {
		return 0, nil
	}
	end := &s.ends[0]
	if !end.decoded {
		if err := s.decode(ctx, s.tokens[:len(s.tokens)-delay+1]); err != nil {
			return 0, err
		}
		*end = s.end()
	}
	if end.incomplete && !late {
		return 0, nil
	}
	return end.length, nil
}

// shorten drops all but the last tokens, and returns the length of the text in s.piece that is sent
// then: all of it if the text of the tokens that remain does not end with what is not sent.
func (s *Streamer) shorten(ctx context.Context) (int, error) {
	s.tokens = append(s.tokens[:0], s.tokens[len(s.tokens)-keptTokens:]...)
	s.ends = [delay]textEnd{}
	if err := s.decode(ctx, s.tokens); err != nil {
		return 0, err
	}
	sent := min(s.sent, len(s.piece))
	if !bytes.HasSuffix(s.text, s.piece[sent:]) {
		sent = len(s.piece)
	}
	s.sent = len(s.text) - (len(s.piece) - sent)
	return sent, nil
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

func (s *Streamer) clear() { s.tokens, s.sent, s.waiting = s.tokens[:0], 0, 0 }
