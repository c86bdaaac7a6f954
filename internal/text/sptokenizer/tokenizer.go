package sptokenizer

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/charsmap"
	"github.com/vinoir/vinoir/internal/text/hf"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/sentencepiece"
	"github.com/vinoir/vinoir/internal/text/trie"
)

// Tokenizer computes the tokens of texts, and the texts of tokens. It is safe for concurrent use.
type Tokenizer struct {
	class          *class
	model, decodes *sentencepiece.Model

	// Single and Pair are how a text, and two of them, become a row of tokens. Types means that a
	// row has token_type_ids.
	Single, Pair []hf.Segment
	Types        bool
	// BOS, EOS and Pad are special tokens, -1 if there is none.
	BOS, EOS, Pad int32

	// ids are the ids of pieces, nil if they are those of the model. unknown is the id of what the
	// model does not know.
	ids     []int32
	unknown int32
	// fixed are ids that are not those of the model plus offset, and only means that there are no
	// others.
	fixed  map[string]int32
	offset int32
	only   bool
	// texts are the tokens that are not pieces with the same id.
	texts map[int32][]byte
	// added are the ids of added tokens, and special says which of them are special tokens. apart
	// are those that stand apart from pieces in a text.
	added          map[string]int32
	special, apart map[string]bool

	found *trie.Matcher // its values are indices of tokens
	first [256]bool     // bytes that tokens start with
	list  []foundToken

	// legacy and prefix are the settings legacy and add_prefix_space. Else spaces are written by
	// this package, and a text is put behind unknownText, for which the model has unknownPieces.
	legacy, prefix bool
	unknownText    string
	unknownPieces  int
	spaceID        int32 // of the piece of a space

	albert *albert // nil for other classes
}

// foundToken is a token that is found in a text.
type foundToken struct {
	id             int32
	special        bool
	lstrip, rstrip bool
	singleWord     bool
}

// space is how pieces write U+0020.
const space = "\u2581"

// Bytes returns the memory of a Tokenizer, and of what New needs meanwhile, without what New asks
// reserve for.
func (f *Files) Bytes() int64 {
	all := len(f.Vocabulary) + len(f.TokenizerConfig) + len(f.SpecialTokensMap) + len(f.AddedTokens) + len(f.Config)
	bytes := 16 * int64(all) // a short token of JSON becomes a struct, and an entry of a map or two
	for _, model := range [][]byte{f.Model, f.Target} {
		if model != nil {
			bytes += sentencepiece.ModelBytes(model)
		}
	}
	return bytes
}

// New returns the Tokenizer of files. reserve is asked for memory beside Bytes; nil means that
// there is no limit. An error starts with the name of the file that is wrong, unless it is the
// model.
func New(f *Files, reserve func(int64) error, stop parallel.Stop) (*Tokenizer, error) {
	s, err := readSettings(f)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{class: s.class, legacy: true, BOS: -1, EOS: -1, Pad: -1, Types: s.class.types, added: map[string]int32{}, special: map[string]bool{}}
	if s.class.prefixed {
		if err := t.readPrefix(s); err != nil {
			return nil, err
		}
	}
	options := sentencepiece.ParseOptions{Latest: true, NoDummyPrefix: !t.legacy}
	if t.model, err = options.Parse(f.Model, reserve, stop); err != nil {
		return nil, err
	}
	if err := checkPieces(t.model); err != nil {
		return nil, err
	}
	t.decodes = t.model
	if f.Target != nil {
		if t.decodes, err = options.Parse(f.Target, reserve, stop); err != nil {
			return nil, faults.Errorf("the model of target texts: %w", err)
		}
	}
	v, err := newVocabulary(t, f)
	if err != nil {
		return nil, err
	}
	if err := t.addTokens(s, v); err != nil {
		return nil, err
	}
	if err := t.setIDs(s, v, reserve); err != nil {
		return nil, err
	}
	if err := t.setFinder(s, reserve, stop); err != nil {
		return nil, err
	}
	if err := t.setSegments(s); err != nil {
		return nil, err
	}
	if s.class.normalizes {
		if err := t.setAlbert(s, reserve, stop); err != nil {
			return nil, err
		}
	}
	return t, t.setPrefix(s)
}

// checkPieces returns an error for a model with too many pieces, or too long ones.
func checkPieces(m *sentencepiece.Model) error {
	if n := m.Len(); n > maxID {
		return faults.Errorf("the model has %d pieces, expected at most %d", n, maxID)
	}
	for i := range int32(m.Len()) {
		if n := len(m.Piece(i)); n > maxPiece {
			return faults.Errorf("piece %d has %d bytes, expected at most %d", i, n, maxPiece)
		}
	}
	return nil
}

// readPrefix reads the settings of the space in front of a text.
func (t *Tokenizer) readPrefix(s *settings) (err error) {
	if raw := s.fields["legacy"]; raw != nil && string(raw) != "null" {
		if t.legacy, err = s.bool("legacy", true); err != nil {
			return err
		}
	}
	t.prefix, err = s.bool("add_prefix_space", true)
	return err
}

// setPrefix finds out what the model makes of the text of the unknown token.
func (t *Tokenizer) setPrefix(s *settings) error {
	t.spaceID = t.idOf(t.model.ID([]byte(space)))
	if t.legacy || s.named[unk] == nil {
		return nil
	}
	t.unknownText = s.named[unk].Content
	ids, err := t.model.Append(nil, []byte(t.unknownText), sentencepiece.Options{}, &sentencepiece.Scratch{})
	t.unknownPieces = len(ids)
	return err
}

// vocabulary is what a class takes as the tokens of the model.
type vocabulary struct {
	t     *Tokenizer
	ids   map[string]int32 // of tokens with other ids than pieces
	texts map[int32]string // the inverse
	// offset is the difference between ids and those of the model. only means that there are no
	// tokens but those in ids.
	offset int32
	only   bool
	size   int32 // the number of ids
	count  int32 // of different tokens
}

func newVocabulary(t *Tokenizer, f *Files) (*vocabulary, error) {
	v := &vocabulary{t: t, ids: map[string]int32{}, texts: map[int32]string{}, size: int32(t.model.Len())}
	switch {
	case t.class.fairseq:
		v.offset, v.size = 1, v.size+2
		v.ids = map[string]int32{"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "<mask>": v.size - 1}
	case t.class.vocabulary:
		if f.Vocabulary == nil {
			return nil, faults.Errorf("vocab.json is missing")
		}
		v.only = true
		if err := json.Unmarshal(f.Vocabulary, &v.ids); err != nil {
			return nil, faults.Errorf("vocab.json: %w", err)
		}
		v.size = int32(len(v.ids))
	}
	for text, id := range v.ids {
		if id < 0 || id > maxID {
			return nil, faults.Errorf("vocab.json: token %.100q has id %d, expected 0 to %d", text, id, maxID)
		}
		v.texts[id] = text
	}
	v.count = v.size
	for text, id := range v.ids {
		if other, _ := v.find(text); other != id {
			v.count--
		}
	}
	return v, nil
}

// find returns the id of a token. If the model has a piece for a fixed one, too, the greater id
// counts.
func (v *vocabulary) find(text string) (int32, bool) {
	fixed, ok := v.ids[text]
	if v.only {
		return fixed, ok
	}
	piece := v.t.model.ID([]byte(text))
	id := piece + v.offset
	if _, other := v.texts[id]; other || string(v.t.model.Piece(piece)) != text {
		return fixed, ok
	}
	return max(id, fixed), true
}

// loses reports whether an added token takes the id of another one, which is not counted then.
func (v *vocabulary) loses(text string, id int32) bool {
	if v.only || id >= v.size {
		return false
	}
	before, ok := v.texts[id]
	if !ok {
		before = string(v.t.model.Piece(id - v.offset))
	}
	_, kept := v.t.added[before]
	return before != text && !kept
}

// addTokens gives the added tokens their ids.
func (t *Tokenizer) addTokens(s *settings, v *vocabulary) error {
	t.texts = map[int32][]byte{}
	if s.class.extraIDs {
		if err := t.addExtra(s); err != nil {
			return err
		}
	}
	// A token replaces an earlier one with the same id.
	last := map[int32]int{}
	for i := range s.added {
		last[s.added[i].id] = i
	}
	for i, a := range s.added {
		if last[a.id] == i {
			t.added[a.Content] = a.id
			t.texts[a.id] = []byte(a.Content)
		}
	}
	next := v.count
	for text, id := range t.added {
		if _, ok := v.find(text); !ok {
			next++
		}
		if v.loses(text, id) {
			next--
		}
	}
	for _, special := range t.allSpecial(s) {
		t.special[special.Content] = true
		if _, ok := t.added[special.Content]; ok || special.Content == "" {
			continue
		}
		special.Special = true
		id, ok := v.find(special.Content)
		if !ok {
			id = next
			next++
		}
		if id > maxID {
			return faults.Errorf("token %.100q would have id %d, expected at most %d", special.Content, id, maxID)
		}
		t.added[special.Content] = id
		t.texts[id] = []byte(special.Content)
		s.added = append(s.added, addedToken{id, special})
	}
	t.apart = map[string]bool{}
	for text, id := range t.added {
		if len(text) > maxPiece {
			return faults.Errorf("added token %d has %d bytes, expected at most %d", id, len(text), maxPiece)
		}
		if s.class.join.apart || !t.special[text] {
			t.apart[text] = true
		}
	}
	for _, a := range s.additional {
		if t.added[a.Content] >= v.size {
			t.apart[a.Content] = true
		}
	}
	for a, to := range map[attribute]*int32{bos: &t.BOS, eos: &t.EOS, pad: &t.Pad} {
		if named := s.named[a]; named != nil && named.Content != "" {
			*to = t.added[named.Content]
		}
	}
	if s.class == &library {
		t.setOwn(s)
	}
	return nil
}

// allSpecial returns the special tokens, each text once.
func (t *Tokenizer) allSpecial(s *settings) []*token {
	var all []*token
	seen := map[string]bool{}
	for _, special := range append(s.named[:], s.additional...) {
		if special != nil && !seen[special.Content] {
			seen[special.Content] = true
			all = append(all, special)
		}
	}
	return all
}

// setOwn sets the special tokens that no file names to those of the model.
func (t *Tokenizer) setOwn(s *settings) {
	if s.named[bos] == nil {
		t.BOS = t.model.BOS()
	}
	if s.named[eos] == nil {
		t.EOS = t.model.EOS()
	}
	if s.named[pad] == nil {
		t.Pad = t.model.Pad()
	}
}

// addExtra adds the tokens <extra_id_0> and so on: in front of those that the files add, with ids
// that fall, or as additional special tokens if the files name others.
func (t *Tokenizer) addExtra(s *settings) error {
	n, err := s.int("extra_ids", 100)
	if err != nil {
		return err
	}
	named := 0
	for _, a := range s.additional {
		if strings.Contains(a.Content, "<extra_id_") {
			named++
		}
	}
	if named > 0 && n > 0 && named != n {
		return faults.Errorf("additional_special_tokens has %d tokens <extra_id_...>, extra_ids is %d", named, n)
	}
	falling := named
	if raw := s.fields[additionalKey]; (raw == nil || string(raw) == "null") && s.more == nil {
		falling = n
	}
	extra := make([]addedToken, falling)
	for i := range extra {
		e := &token{Content: fmt.Sprintf("<extra_id_%d>", i), LStrip: true, RStrip: true, Special: true}
		id := t.model.Len() + n - 1 - i
		if id < 0 {
			return faults.Errorf("token %q would have id %d", e.Content, id)
		}
		extra[i] = addedToken{int32(id), e}
	}
	s.added = append(extra, s.added...)
	for i := range n {
		if named == 0 {
			s.additional = append(s.additional, &token{Content: fmt.Sprintf("<extra_id_%d>", i)})
		}
	}
	return nil
}

// setIDs sets the ids of pieces.
func (t *Tokenizer) setIDs(s *settings, v *vocabulary, reserve func(int64) error) error {
	m := t.model
	n := m.Len()
	if reserve != nil {
		if err := reserve(4 * int64(n)); err != nil {
			return err
		}
	}
	t.fixed, t.offset, t.only = v.ids, v.offset, v.only
	if t.unknown = m.Unknown() + v.offset; v.only || v.offset > 0 && m.Unknown() == 0 {
		if t.unknown = t.named(s, unk); t.unknown < 0 {
			return faults.Errorf("there is no unk_token")
		}
	}
	ids, same := make([]int32, n), true
	for i := range ids {
		switch {
		case t.class == &library:
			ids[i] = int32(i)
		case int32(i) == m.Unknown():
			ids[i] = t.unknown
		default:
			ids[i] = t.textID(m.Piece(int32(i)))
		}
		same = same && ids[i] == int32(i)
	}
	if !same {
		t.ids = ids
	}
	for id, text := range v.texts {
		if t.texts[id] == nil {
			t.texts[id] = []byte(text)
		}
	}
	return nil
}

// textID returns the id of the token with the text of a piece.
func (t *Tokenizer) textID(text []byte) int32 {
	if id, ok := t.added[string(text)]; ok {
		return id
	}
	if id, ok := t.fixed[string(text)]; ok {
		return id
	}
	id := t.model.ID(text)
	if t.only || id == t.model.Unknown() || t.offset > 0 && id == 0 {
		return t.unknown
	}
	return id + t.offset
}

// idOf returns the id of the token of a piece.
func (t *Tokenizer) idOf(piece int32) int32 {
	if t.ids == nil {
		return piece
	}
	return t.ids[piece]
}

// setFinder sets what finds the added tokens in texts.
func (t *Tokenizer) setFinder(s *settings, reserve func(int64) error, stop parallel.Stop) (err error) {
	keys := trie.NewKeys(len(t.added))
	last := map[string]*token{}
	for i := range s.added {
		last[s.added[i].Content] = s.added[i].token
	}
	for text, id := range t.added {
		if text == "" || string(t.texts[id]) != text { // another token has taken its id
			continue
		}
		a := last[text]
		keys.Add([]byte(text), int32(len(t.list)))
		t.first[text[0]] = true
		t.list = append(t.list, foundToken{id, t.special[text], a.LStrip, a.RStrip, a.SingleWord})
	}
	t.found, err = trie.NewMatcher(keys, reserve, stop)
	return err
}

// setSegments sets how texts become rows.
func (t *Tokenizer) setSegments(s *settings) error {
	addBOS, err := s.bool("add_bos_token", s.class.addBOS)
	if err != nil {
		return err
	}
	addEOS, err := s.bool("add_eos_token", false)
	if err != nil {
		return err
	}
	for _, row := range []struct {
		template string
		to       *[]hf.Segment
	}{{s.class.single, &t.Single}, {s.class.pair, &t.Pair}} {
		typeID := int32(0)
		for _, part := range row.template {
			segment, id := hf.Segment{TypeID: typeID}, int32(-1)
			switch part {
			case 'A', 'B':
				segment.Text = 1 + int(part-'A')
				if segment.Text == 2 && s.class.types {
					typeID, segment.TypeID = 1, 1
				}
				*row.to = append(*row.to, segment)
				continue
			case 'b':
				if !addBOS {
					continue
				}
				id = t.BOS
			case 'e':
				if !addEOS {
					continue
				}
				id = t.EOS
			case 'E', 'O':
				id, segment.Once = t.EOS, part == 'O'
			case 'C':
				id = t.named(s, cls)
			case 'S':
				id = t.named(s, sep)
			}
			if id < 0 {
				return faults.Errorf("there is no token for %q of a row %q", part, row.template)
			}
			segment.IDs = []int32{id}
			*row.to = append(*row.to, segment)
		}
	}
	return nil
}

// named returns the id of the token of an attribute; -1 if there is none.
func (t *Tokenizer) named(s *settings, a attribute) int32 {
	if s.named[a] == nil {
		return -1
	}
	return t.added[s.named[a].Content]
}

// Token returns the text of a token; "" if there is none.
func (t *Tokenizer) Token(id int32) string {
	text, _ := t.token(id)
	return string(text)
}

// Scratch is the memory of one caller, who can use it again. The zero value is ready.
type Scratch struct {
	limits.Limits

	model   sentencepiece.Scratch
	text    []byte
	matches trie.Matches
	parts   []part
	tokens  [][]byte
	out     []byte
	ids     []int32
	form    charsmap.Work
}
