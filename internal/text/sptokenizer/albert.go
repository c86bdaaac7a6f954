package sptokenizer

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/charsmap"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/python"
	"github.com/vinoir/vinoir/internal/text/sentencepiece"
	"github.com/vinoir/vinoir/internal/text/trie"
)

// albert is what AlbertTokenizer does beside the model: it normalizes texts, and cuts pieces that
// end with a digit and a comma.
type albert struct {
	lower, joinSpaces, keepAccents bool
	// decomposes writes the compatibility decomposition. That it does not sort marks has no effect,
	// as they are removed.
	decomposes *charsmap.Normalizer
	kept       *trie.Trie // tokens that stay as they are where lower is set
	pieces     map[int32][]int32
}

// setAlbert sets t.albert.
func (t *Tokenizer) setAlbert(s *settings, reserve func(int64) error, stop parallel.Stop) error {
	a := &albert{pieces: map[int32][]int32{}}
	for _, setting := range []struct {
		key       string
		to        *bool
		otherwise bool
	}{{"do_lower_case", &a.lower, true}, {"remove_space", &a.joinSpaces, true}, {"keep_accents", &a.keepAccents, false}} {
		var err error
		if *setting.to, err = s.bool(setting.key, setting.otherwise); err != nil {
			return err
		}
	}
	if reserve != nil {
		if err := reserve(charsmap.BuiltinBytes); err != nil {
			return err
		}
	}
	nfkd, err := charsmap.Builtin("nfkd", false)
	if err != nil {
		return err
	}
	a.decomposes = charsmap.New(nfkd, charsmap.Options{})
	keys := trie.NewKeys(0)
	for _, added := range s.added {
		if added.Content != "" && (t.special[added.Content] || !added.Special && added.Normalized) {
			keys.Add([]byte(added.Content), 0)
		}
	}
	if a.kept, err = trie.New(keys, reserve, stop); err != nil {
		return err
	}
	w := &Scratch{}
	w.Stop, w.Reserve = stop, reserve
	w.model.Limits = w.Limits
	meter := stop.Meter()
	for i := range int32(t.model.Len()) {
		piece := t.model.Piece(i)
		if meter.Spent(8) {
			return parallel.ErrStopped
		}
		if i == t.model.Unknown() || !endsWithNumber(piece) {
			continue
		}
		if a.pieces[t.idOf(i)], err = t.cutNumber(nil, piece, w); err != nil {
			return err
		}
	}
	t.albert = a
	return nil
}

// lowered returns a text in lower case, but for the tokens that are kept.
func (a *albert) lowered(text string) string {
	if !a.lower {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for len(text) > 0 {
		if _, n := a.kept.Longest([]byte(text[:min(len(text), a.kept.Depth())])); n > 0 {
			b.WriteString(text[:n])
			text = text[n:]
			continue
		}
		_, n := utf8.DecodeRuneInString(text)
		b.WriteString(python.Lower(text[:n]))
		text = text[n:]
	}
	return b.String()
}

// quotes replaces quotes of two characters.
var quotes = strings.NewReplacer("``", `"`, "''", `"`)

// normalize returns what the model encodes of a text, in memory of s.
func (a *albert) normalize(text []byte, s *Scratch) ([]byte, error) {
	out := string(text)
	if a.joinSpaces {
		out = strings.Join(python.Fields(out, -1), " ")
	}
	out = quotes.Replace(out)
	if !a.keepAccents {
		var err error
		if s.out, err = a.decomposes.Append(s.out[:0], []byte(out), &s.form); err != nil {
			return nil, err
		}
		out = string(removeMarks(s.out))
	}
	if a.lower {
		out = python.Lower(out)
	}
	return []byte(out), nil
}

// endsWithNumber reports whether a piece ends with a digit and a comma.
func endsWithNumber(piece []byte) bool {
	before, found := bytes.CutSuffix(piece, []byte(","))
	r, n := utf8.DecodeLastRune(before)
	return found && n > 0 && python.IsDigit(string(r))
}

// cutNumber appends the tokens of a piece that endsWithNumber: those of the text in front of the
// comma, which does not become a word of its own, and the comma.
func (t *Tokenizer) cutNumber(dst []int32, piece []byte, s *Scratch) ([]int32, error) {
	text := bytes.ReplaceAll(piece[:len(piece)-1], []byte(space), nil)
	first := len(dst)
	dst, err := t.model.Append(dst, text, sentencepiece.Options{Surfaces: true}, &s.model)
	if err != nil || len(dst) == first {
		return dst, err
	}
	start := t.model.Piece(dst[first])
	if dst[first] == t.model.Unknown() {
		start = nil
		s.model.Unknowns(func(at int, text []byte) {
			if at == first {
				start = bytes.Clone(text)
			}
		})
	}
	t.mapIDs(dst, first, s)
	if rest, found := bytes.CutPrefix(start, []byte(space)); found && !bytes.HasPrefix(piece, []byte(space)) {
		if len(rest) == 0 {
			dst = append(dst[:first], dst[first+1:]...)
		} else {
			dst[first] = t.textID(rest)
		}
	}
	return append(dst, t.textID([]byte(","))), nil
}

// cutNumbers cuts the pieces of ids from first on that end with a digit and a comma. The last text
// that s.model encoded has them.
func (t *Tokenizer) cutNumbers(ids []int32, first int, s *Scratch) (_ []int32, err error) {
	unknown := map[int][]byte{}
	s.model.Unknowns(func(at int, text []byte) {
		if endsWithNumber(text) {
			unknown[at] = bytes.Clone(text)
		}
	})
	if s.ids, err = limits.Grow(&s.Limits, s.ids[:0], len(ids)-first); err != nil {
		return ids, err
	}
	for i, id := range ids[first:] {
		if text, ok := unknown[first+i]; ok {
			if s.ids, err = t.cutNumber(s.ids, text, s); err != nil {
				return ids, err
			}
		} else if parts, ok := t.albert.pieces[id]; ok {
			s.ids = append(s.ids, parts...)
		} else {
			s.ids = append(s.ids, id)
		}
	}
	return append(ids[:first], s.ids...), nil
}
