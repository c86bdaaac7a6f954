package hf

import (
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/bpe"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/trie"
	"github.com/vinoir/vinoir/internal/text/wordcache"
	"github.com/vinoir/vinoir/internal/text/wordindex"
)

// model cuts a word into tokens.
type model interface {
	append(dst []int32, word []byte, s *modelScratch) ([]int32, error)
}

// modelScratch is the memory of a model.
type modelScratch struct {
	limits.Limits
	bpe     bpe.Scratch
	matches trie.Matches
	word    []byte
	symbols []symbol
	queue   []candidate
	nodes   []node
	ids     []int32
	sizes   []int32 // of the symbols of ids, in bytes of the word

	// cover says which bytes of the word each of its tokens has; nil if that is not asked for.
	cover *align.Cover
	own   align.Cover
}

// cached is the number of words whose tokens models remember.
const cached = wordcache.MaxCapacity

// words are the words of a model.
type words struct {
	ragged.Strings
	ids   []int32
	index *wordindex.Index
	byID  []int32 // the number of the word with an id, -1 if there is none
	// repeats means that two words have the same id.
	repeats bool
}

// id returns the id of a word.
func (w *words) id(word []byte) (int32, bool) {
	i, ok := w.index.Find(word)
	if !ok {
		return 0, false
	}
	return w.ids[i], true
}

// at returns the word with an id; nil if there is none.
func (w *words) at(id int32) []byte {
	if uint32(id) >= uint32(len(w.byID)) || w.byID[id] < 0 {
		return nil
	}
	return w.At(int(w.byID[id]))
}

// addWords indexes the words of the model.
func (b *builder) addWords() (err error) {
	m, w := &b.file.Model, &b.t.words
	largest := int32(-1)
	for _, id := range m.IDs {
		largest = max(largest, id)
	}
	if limit := 16*int64(len(m.IDs)) + 1<<20; int64(largest) > limit {
		return faults.Errorf("model: the largest id is %d, expected at most %d for %d words", largest, limit, len(m.IDs))
	}
	if err := b.ask(wordindex.Bytes(len(m.IDs)) + 4*int64(largest+1)); err != nil {
		return err
	}
	w.Strings, w.ids = m.Words, m.IDs
	if w.index, err = wordindex.New(w.Strings, false, b.stop); err != nil {
		return faults.Errorf("model: %w", err)
	}
	w.byID = make([]int32, largest+1)
	for i := range w.byID {
		w.byID[i] = -1
	}
	for i, id := range m.IDs {
		w.repeats = w.repeats || w.byID[id] >= 0
		w.byID[id] = int32(i)
	}
	return nil
}

// checkModel adds what of the model is not supported.
func (b *builder) checkModel() {
	m := &b.file.Model
	switch m.Type {
	case "BPE", "WordPiece", "Unigram", "WordLevel":
	default:
		b.unsupports.Components = append(b.unsupports.Components, fmt.Sprintf("model: type %.100q", m.Type))
	}
	if m.Dropout {
		b.unsupports.Components = append(b.unsupports.Components, "model: dropout, which makes tokens random")
	}
}

// setModel makes the model.
func (b *builder) setModel() (err error) {
	m := &b.file.Model
	switch m.Type {
	case "BPE":
		b.t.model, err = b.newBPE(m)
	case "WordPiece":
		b.t.model, err = b.newWordPiece(m)
	case "Unigram":
		b.t.model, err = b.newUnigram(m)
	case "WordLevel":
		b.t.model = b.newWordLevel(m)
	}
	return err
}

// unknownOf returns the id of the unknown word, -1 if there is none.
func (b *builder) unknownOf(m *Model) int32 {
	if id, ok := b.t.words.id([]byte(m.Unknown)); ok && m.HasUnknown {
		return id
	}
	return -1
}

// errNoUnknown is the error of a word that the model has no token for.
var errNoUnknown = faults.Errorf("the model has no token for unknown words")

// appendID appends a token.
func appendID(dst []int32, id int32, s *limits.Limits) ([]int32, error) {
	if len(dst) == cap(dst) {
		var err error
		if dst, err = limits.Grow(s, dst, len(dst)+1); err != nil {
			return dst, err
		}
	}
	return append(dst, id), nil
}

// wordLevel finds whole words.
type wordLevel struct {
	words   *words
	unknown int32
}

func (b *builder) newWordLevel(m *Model) model {
	m.HasUnknown = true // "<unk>" if the file does not say it
	if m.Unknown == "" {
		m.Unknown = "<unk>"
	}
	return &wordLevel{&b.t.words, b.unknownOf(m)}
}

func (l *wordLevel) append(dst []int32, word []byte, s *modelScratch) ([]int32, error) {
	id, ok := l.words.id(word)
	if !ok {
		if id = l.unknown; id < 0 {
			return dst, errNoUnknown
		}
	}
	if err := s.cover.Add(0, len(word)); err != nil {
		return dst, err
	}
	return appendID(dst, id, &s.Limits)
}

// fallback has the ids of the words "<0x00>" to "<0xFF>", -1 for one that is missing.
type fallback struct{ ids [256]int32 }

func (w *words) fallback() *fallback {
	f := &fallback{}
	for i := range f.ids {
		id, ok := w.id(fmt.Appendf(nil, "<0x%02X>", i))
		if !ok {
			id = -1
		}
		f.ids[i] = id
	}
	return f
}

// has reports whether id is the token of a byte.
func (f *fallback) has(id int32) bool { return slices.Contains(f.ids[:], id) }

// append appends the tokens of the bytes of a text; ok is false if one has none.
func (f *fallback) append(dst []int32, text []byte, s *limits.Limits) (out []int32, ok bool, err error) {
	for _, c := range text {
		if f.ids[c] < 0 {
			return dst, false, nil
		}
	}
	for _, c := range text {
		if dst, err = appendID(dst, f.ids[c], s); err != nil {
			return dst, false, err
		}
	}
	return dst, true, nil
}

// newCache returns a cache of the tokens of words.
func newCache() *wordcache.Cache { return wordcache.New(cached) }
