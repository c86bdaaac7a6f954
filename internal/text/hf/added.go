package hf

import (
	"bytes"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/regex"
	"github.com/vinoir/vinoir/internal/text/trie"
)

// added are the added tokens: those that are found in the text as it is, and those that are found
// in the normalized text.
type added struct {
	raw, normalized tokenFinder
	// texts are the tokens as they are in a text: normalized ones are normalized.
	texts   map[int32][]byte
	ids     map[string]int32 // by the text that the file has
	special map[string]bool  // by the text that the file has
}

// setAdded gives the added tokens their ids, as the library does when it reads them: that of a word
// of the model, or else the next one.
func (b *builder) setAdded() error {
	t, a := b.t, &b.t.added
	a.texts, a.special = map[int32][]byte{}, map[string]bool{}
	byID := map[int32]*AddedToken{}
	ids := map[string]int32{}
	a.ids = ids
	last := int32(-1)
	for i := range b.file.AddedTokens {
		token := &b.file.AddedTokens[i]
		if token.Special && token.Content != "" {
			a.special[token.Content] = true
		}
		if before, ok := ids[token.Content]; token.Content == "" || ok && *byID[before] == *token {
			continue
		}
		id, ok := ids[token.Content]
		if !ok {
			id, ok = t.words.id([]byte(token.Content))
		}
		if !ok {
			id = max(last+1, int32(len(b.file.Model.IDs)))
		}
		if id > maxID {
			return faults.Errorf("token %.100q would have id %d, expected at most %d", token.Content, id, maxID)
		}
		ids[token.Content], byID[id] = id, token
		last = max(last, id)
	}
	s := &Scratch{}
	for _, special := range []bool{true, false} {
		for _, token := range b.file.AddedTokens {
			id, ok := ids[token.Content]
			if !ok || a.special[token.Content] != special || byID[id].ID != token.ID {
				continue
			}
			if token = *byID[id]; !token.Normalized {
				a.texts[id] = []byte(token.Content)
				a.raw.add(a.texts[id], id, &token)
				continue
			}
			text, _, err := normalized(t.normalizers, []byte(token.Content), nil, 0, s)
			if err != nil {
				return err
			}
			a.texts[id] = bytes.Clone(text)
			a.normalized.add(a.texts[id], id, &token)
		}
	}
	for _, f := range []*tokenFinder{&a.raw, &a.normalized} {
		if err := f.build(b); err != nil {
			return err
		}
	}
	return nil
}

// tokenFinder finds tokens in a text: from left to right, the longest at each position.
type tokenFinder struct {
	keys    trie.Keys
	matcher *trie.Matcher // its values are indices of tokens
	starts  [256]bool
	tokens  []foundToken
	seen    map[string]bool
}

type foundToken struct {
	id                         int32
	singleWord, lstrip, rstrip bool
}

func (f *tokenFinder) none() bool { return len(f.tokens) == 0 }

// add adds a token. Of several with the same text, the first counts.
func (f *tokenFinder) add(text []byte, id int32, token *AddedToken) {
	if len(text) == 0 || f.seen[string(text)] {
		return
	}
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	f.seen[string(text)], f.starts[text[0]] = true, true
	f.keys.Add(text, int32(len(f.tokens)))
	f.tokens = append(f.tokens, foundToken{id, token.SingleWord, token.LStrip, token.RStrip})
}

func (f *tokenFinder) build(b *builder) (err error) {
	f.matcher, err = trie.NewMatcher(&f.keys, b.reserve, b.stop)
	f.keys, f.seen = trie.Keys{}, nil
	return err
}

// cut adds the pieces of a piece to s.next.
func (f *tokenFinder) cut(p piece, s *Scratch) error {
	if f.none() {
		return s.add(p)
	}
	text := s.text[p.begin:p.end]
	if err := f.matcher.Match(&s.model.matches, text, &s.Limits); err != nil {
		return err
	}
	from, at := 0, 0
	for at < len(text) {
		if !f.starts[text[at]] {
			at++
			continue
		}
		i, n := f.matcher.LongestAt(&s.model.matches, text, at)
		if n == 0 {
			at++
			continue
		}
		begin, end, token := at, at+n, &f.tokens[i]
		at = end
		if token.singleWord && (endsWithWord(text[:begin]) || startsWithWord(text[end:])) {
			continue
		}
		if token.lstrip {
			begin = max(from, len(spaces().trimRight(text[:begin])))
		}
		if token.rstrip {
			end = len(text) - len(spaces().trimLeft(text[end:]))
		}
		if from < begin {
			if err := s.add(s.part(p, from, begin)); err != nil {
				return err
			}
		}
		found := s.part(p, begin, end)
		found.id = token.id
		if err := s.add(found); err != nil {
			return err
		}
		from = end
	}
	if from < len(text) {
		return s.add(s.part(p, from, len(text)))
	}
	return nil
}

// startsWithWord and endsWithWord report whether the first or last character is one of a word, as
// Rust's \w.
func startsWithWord(text []byte) bool {
	r, n := utf8.DecodeRune(text)
	return n > 0 && isWord(r)
}

func endsWithWord(text []byte) bool {
	r, n := utf8.DecodeLastRune(text)
	return n > 0 && isWord(r)
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isASCIIWord(byte(r))
	}
	return r == 0x200c || r == 0x200d || regex.IsWord(r)
}
