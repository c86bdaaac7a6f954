package sptokenizer

import (
	"bytes"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/python"
)

// token returns the text of a token; false if there is none with this id.
func (t *Tokenizer) token(id int32) ([]byte, bool) {
	if text, ok := t.texts[id]; ok {
		return text, true
	}
	if t.class.vocabulary {
		return nil, false
	}
	if t.class.fairseq {
		id--
	}
	if id < 0 || int(id) >= t.model.Len() {
		return nil, false
	}
	return t.model.Piece(id), true
}

// Decode appends the text of tokens to dst, without special tokens unless keep is set. Tokens that
// there are not are left out. The errors are those of s.Reserve, and parallel.ErrStopped.
func (t *Tokenizer) Decode(dst []byte, ids []int32, keep bool, s *Scratch) ([]byte, error) {
	s.model.Limits = s.Limits
	if err := t.setTokens(ids, keep, s); err != nil {
		return dst, err
	}
	start, parts := len(dst), 0
	var err error
	for rest := s.tokens; len(rest) > 0; {
		n := 0
		for n < len(rest) && !t.standsApart(rest[n], keep) {
			n++
		}
		before := len(dst)
		if dst, err = limits.Grow(&s.Limits, dst, len(dst)+1+len(rest[0])); err != nil {
			return dst, err
		}
		if parts > 0 && !t.class.join.apart {
			dst = append(dst, ' ')
		}
		from := len(dst)
		if n == 0 {
			dst, n = append(dst, rest[0]...), 1
		} else if dst, err = t.join(dst, rest[:n], s); err != nil {
			return dst, err
		} else if len(dst) == from && n < len(rest) { // a text between tokens, but an empty one
			dst, rest = dst[:before], rest[n:]
			continue
		}
		rest = rest[n:]
		parts++
	}
	if t.class.join.apart && t.class.join.spaces {
		dst = append(dst[:start], bytes.ReplaceAll(dst[start:], []byte(space), []byte(" "))...)
	}
	return dst, nil
}

// standsApart reports whether a token is not joined with pieces: an added token, or a control
// symbol that is kept.
func (t *Tokenizer) standsApart(token []byte, keep bool) bool {
	return t.apart[string(token)] || keep && t.class == &library && t.model.IsControl(t.model.ID(token))
}

// setTokens sets s.tokens to the texts of tokens.
func (t *Tokenizer) setTokens(ids []int32, keep bool, s *Scratch) (err error) {
	if s.tokens, err = limits.Grow(&s.Limits, s.tokens[:0], len(ids)); err != nil {
		return err
	}
	meter := s.Stop.Meter()
	for _, id := range ids {
		if meter.Spent(8) {
			return parallel.ErrStopped
		}
		if text, ok := t.token(id); ok && (keep || !t.special[string(text)]) {
			s.tokens = append(s.tokens, text)
		}
	}
	return nil
}

// join appends the text of pieces and special tokens.
func (t *Tokenizer) join(dst []byte, tokens [][]byte, s *Scratch) (_ []byte, err error) {
	rule := &t.class.join
	start := len(dst)
	if t.class.prefixed && t.prefix {
		tokens[0] = bytes.TrimPrefix(tokens[0], []byte(space))
	}
	from, afterSpecial := 0, false
	for i, token := range tokens {
		switch {
		case rule.plain:
			if dst, err = limits.Grow(&s.Limits, dst, len(dst)+len(token)); err != nil {
				return dst, err
			}
			dst = append(dst, bytes.ReplaceAll(token, []byte(space), []byte(" "))...)
			from = i + 1
		case rule.apart || !t.special[string(token)]:
			if afterSpecial && i == 1 && rule.before == unlessFirst && t.prefix && !bytes.HasPrefix(token, []byte(space)) {
				dst = append(dst, ' ')
			}
			afterSpecial = false
		default:
			if !afterSpecial && (rule.before == always || rule.before == unlessFirst && i > 0 && t.legacy) {
				dst = append(dst, ' ')
			}
			if dst, err = t.decodes.DecodePieces(dst, tokens[from:i], &s.model); err != nil {
				return dst, err
			}
			if dst, err = limits.Grow(&s.Limits, dst, len(dst)+len(token)+1); err != nil {
				return dst, err
			}
			dst = append(dst, token...)
			if rule.after {
				dst = append(dst, ' ')
			}
			from, afterSpecial = i+1, true
		}
	}
	if dst, err = t.decodes.DecodePieces(dst, tokens[from:], &s.model); err != nil {
		return dst, err
	}
	if rule.spaces {
		dst = append(dst[:start], bytes.ReplaceAll(dst[start:], []byte(space), []byte(" "))...)
	}
	if rule.strip {
		dst = append(dst[:start], bytes.TrimFunc(dst[start:], python.IsSpace)...)
	}
	return dst, nil
}
