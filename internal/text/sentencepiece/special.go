package sentencepiece

import (
	"unicode"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/trie"
)

// Special are tokens that are found in a text before the model encodes what is between them. Of
// those that start at a position, the first one counts. A token of ASCII letters is found only
// where a word starts in front of it, or ends behind it, or the inverse.
type Special struct {
	tokens  *trie.Trie // with the number of a token
	ids     []int32
	letters []bool
	starts  [256]bool
	// the number of the empty token, which ends the search where it is found; -1 if there is none
	empty int
}

// SpecialBytes returns the size of the Special of n tokens, without what NewSpecial asks reserve
// for.
func SpecialBytes(n int) int64 { return 64 * int64(n) }

// NewSpecial returns a Special, or nil if there are no tokens, or one of them is not UTF-8: the
// expression that OpenVINO makes of the tokens is then damaged, and finds nothing. reserve is asked
// for memory; nil means that there is no limit. The ranges of tokens must have been checked.
func NewSpecial(tokens ragged.Strings, ids []int32, reserve func(int64) error, stop parallel.Stop) (*Special, error) {
	if len(ids) < tokens.Len() {
		return nil, faults.Errorf("there are %d special tokens and %d ids", tokens.Len(), len(ids))
	}
	if tokens.Len() == 0 {
		return nil, nil
	}
	sp := &Special{ids: append([]int32(nil), ids[:tokens.Len()]...), letters: make([]bool, tokens.Len()), empty: -1}
	keys := trie.NewKeys(tokens.Len())
	meter := stop.Meter()
	for i := tokens.Len() - 1; i >= 0; i-- { // of equal keys, the last one counts
		token := tokens.At(i)
		if meter.Spent(8 + len(token)) {
			return nil, parallel.ErrStopped
		}
		if !utf8.Valid(token) {
			return nil, nil
		}
		sp.letters[i] = lettersOnly(token)
		if len(token) == 0 {
			sp.empty = i
			continue
		}
		sp.starts[token[0]] = true
		keys.Add(token, int32(i))
	}
	var err error
	sp.tokens, err = trie.New(keys, reserve, stop)
	return sp, err
}

func lettersOnly(token []byte) bool {
	for _, c := range token {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			return false
		}
	}
	return true
}

// find returns the range of the first token in text from a position on, and its number; false if
// there is none.
func (sp *Special) find(text []byte, from int, s *Scratch) (begin, end, number int, ok bool) {
	for at := from; at <= len(text); at++ {
		number = len(sp.ids)
		if at < len(text) && sp.starts[text[at]] {
			number, end = sp.longest(text, at, s)
		}
		if sp.empty >= 0 && sp.empty < number && boundary(text, at) {
			return 0, 0, 0, false
		}
		if number < len(sp.ids) {
			return at, end, number, true
		}
		if s.meter.Spent(4) {
			break
		}
	}
	return 0, 0, 0, false
}

// longest returns the number and the end of the token that is found at a position; the number of
// tokens if none is.
func (sp *Special) longest(text []byte, at int, s *Scratch) (number, end int) {
	number = len(sp.ids)
	node := sp.tokens.Root()
	for i, more := at, true; more && i < len(text); i++ {
		next, n, found, longer, ok := sp.tokens.Next(node, text[i])
		if !ok {
			break
		}
		node, more = next, longer
		if found && int(n) < number && (!sp.letters[n] || boundary(text, at) || boundary(text, i+1)) {
			number, end = int(n), i+1
		}
		if s.meter.Spent(4) {
			break
		}
	}
	return number, end
}

// boundary reports whether a word starts or ends at a position.
func boundary(text []byte, at int) bool {
	before, _ := utf8.DecodeLastRune(text[:at])
	after, _ := utf8.DecodeRune(text[at:])
	return at > 0 && inWord(before) != (at < len(text) && inWord(after)) || at == 0 && at < len(text) && inWord(after)
}

// inWord is the class \w of PCRE2 with Unicode properties.
func inWord(r rune) bool { return unicode.In(r, unicode.L, unicode.N, unicode.Mn, unicode.Pc) }

// AppendSplit is Append for a text with special tokens. Each part between them is encoded alone, so
// with BOS it starts with that piece. EOS is appended once, as -1 if the model has no such piece.
// Reverse reverses all ids. A nil Special finds nothing.
func (m *Model) AppendSplit(dst []int32, text []byte, sp *Special, o Options, s *Scratch) ([]int32, error) {
	part := o
	part.EOS, part.Reverse = false, false
	base := len(dst)
	s.start()
	for at := 0; at < len(text); {
		begin, end, number, ok := len(text), len(text), 0, false
		if sp != nil {
			if begin, end, number, ok = sp.find(text, at, s); !ok {
				begin, end = len(text), len(text)
			}
			if s.Stop.Requested() {
				return dst, parallel.ErrStopped
			}
		}
		var err error
		if at < begin {
			if dst, err = m.Append(dst, text[at:begin], part, s); err != nil {
				return dst, err
			}
		}
		if ok {
			if dst, err = appendID(dst, sp.ids[number], s); err != nil {
				return dst, err
			}
		}
		at = end
	}
	if o.EOS {
		var err error
		if dst, err = appendID(dst, m.EOS(), s); err != nil {
			return dst, err
		}
	}
	if o.Reverse {
		Reverse(dst[base:])
	}
	return dst, nil
}
