// Package sentencepiece computes the tokens of SentencePiece models, as the library of that name
// does: unigram, BPE, character and word models.
//
// Parse reads a model. A text is normalized as the model says, and cut into pieces: those with the
// largest sum of scores in a unigram model, and those that are left when neighbors were merged in
// the order of the scores of the merged pieces in a BPE model. Encode returns their ids. Decode
// returns the text of ids.
package sentencepiece

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/charsmap"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/trie"
	"github.com/vinoir/vinoir/internal/text/wordcache"
	"github.com/vinoir/vinoir/internal/text/wordindex"
)

// Model is a SentencePiece model. It is not changed after it was made, and can be used by many
// goroutines.
type Model struct {
	kind         kind
	pieces       ragged.Strings
	scores       []float32
	types        []pieceType
	unknown      int32
	bos, eos     int32 // ids of those pieces, unknown if the model does not have them
	pad          int32
	byteFallback bool
	latest       bool       // ParseOptions.Latest
	bytes        [256]int32 // the ids of bytes, if byteFallback is set
	// canonical has the id that a piece has when it is looked up by its text, if it differs from
	// its number somewhere: a text can be that of a normal piece and of a control symbol.
	canonical []int32

	suffix bool // trainer_spec: treat_whitespace_as_suffix
	// stripped means that decoding removes the space at the start, and all spaces there if
	// strippedAll is set.
	stripped, strippedAll bool
	unknownSurface        []byte

	normalizer, denormalizer *charsmap.Normalizer // the latter can be nil
	kept                     *kept                // nil if no symbol is defined by the user

	normal, reserved numbered // pieces that text can have, and control symbols, unknown and bytes
	longest          int      // the length of the longest normal piece, in bytes

	unigram *unigram // of a unigram model
	bpe     *bpe     // of a BPE model
}

// kind is the model_type of the trainer_spec.
type kind int32

const (
	unigramModel kind = 1 + iota
	bpeModel
	wordModel
	charModel
)

// pieceType is the type of a piece.
type pieceType uint8

const (
	normal pieceType = 1 + iota
	unknown
	control
	userDefined
	unused
	byteValue
)

// space is how pieces write U+0020.
const space = "\u2581"

// numbered finds the ids of pieces by their texts.
type numbered struct {
	index *wordindex.Index
	ids   []int32
}

func (n *numbered) find(text []byte) (id int32, ok bool) {
	i, ok := n.index.Find(text)
	if !ok {
		return 0, false
	}
	return n.ids[i], true
}

// id returns the id of a text: first that of a reserved piece, then that of a normal one, else
// unknown.
func (m *Model) id(text []byte) int32 {
	if id, ok := m.reserved.find(text); ok {
		return id
	}
	if id, ok := m.normal.find(text); ok {
		return id
	}
	return m.unknown
}

// Len returns the number of pieces.
func (m *Model) Len() int { return m.pieces.Len() }

// Piece returns the text of a piece. It must not be changed.
func (m *Model) Piece(id int32) []byte { return m.pieces.At(int(id)) }

// ID returns the id of the piece with a text; that of the unknown piece if there is none.
func (m *Model) ID(piece []byte) int32 { return m.id(piece) }

// Unknown returns the id of the unknown piece.
func (m *Model) Unknown() int32 { return m.unknown }

// IsControl reports whether a piece is a control symbol, which has no text.
func (m *Model) IsControl(id int32) bool { return m.types[id] == control }

// JoinsCharacters reports whether pieces are made of characters: in a BPE or character model.
func (m *Model) JoinsCharacters() bool { return m.kind == bpeModel || m.kind == charModel }

// BOS, EOS and Pad return the ids of the start and the end of text, and of padding; -1 if the model
// has none.
func (m *Model) BOS() int32 { return m.symbol(m.bos) }
func (m *Model) EOS() int32 { return m.symbol(m.eos) }
func (m *Model) Pad() int32 { return m.symbol(m.pad) }

func (m *Model) symbol(id int32) int32 {
	if m.types[id] == control {
		return id
	}
	return -1
}

// kept are the symbols that the user defined, which neither the normalizer nor merges change. It
// implements charsmap.Matcher.
type kept struct {
	symbols *trie.Trie
	starts  [256]bool
}

// Longest returns the length of the longest symbol in front of text.
func (k *kept) Longest(text []byte) int {
	if !k.starts[text[0]] {
		return 0
	}
	_, length := k.symbols.Longest(text)
	return length
}

// Starts reports whether a symbol starts with b.
func (k *kept) Starts(b byte) bool { return k.starts[b] }

// ModelBytes returns the size of the Model of a file, and of what Parse needs meanwhile, without
// what it asks reserve for.
func ModelBytes(data []byte) int64 {
	pieces := int64(0)
	_ = fields("the model", data, func(f *field) error { // Parse returns the error
		if f.isBytes(1) {
			pieces++
		}
		return nil
	})
	return pieceBytes*pieces + 7*int64(len(data)) + wordcache.Bytes(cachedParts) + 1<<joinBits/8
}

// pieceBytes is what a piece takes beside its text: ranges, a score, a type, and slots of an index.
const pieceBytes = 96

// Check returns the error of Parse for a file that is cut or damaged, or has no unknown piece. It
// takes little time and memory.
func Check(data []byte) error {
	found := false
	err := fields("the model", data, func(f *field) error {
		if !f.isBytes(1) {
			return nil
		}
		return fields("a piece", f.data, func(f *field) error {
			found = found || f.isNumber(3) && f.value == uint64(unknown)
			return nil
		})
	})
	if err == nil && !found {
		err = faults.Errorf("none of the pieces is unknown")
	}
	return err
}

// ParseOptions change what a model says.
type ParseOptions struct {
	// NoDummyPrefix means that no space is put in front of a text.
	NoDummyPrefix bool
	// Latest means that ids are those of SentencePiece 0.2.3. Else they are those of 0.2.1.
	Latest bool
}

// Parse reads a ModelProto in protocol buffers' format. reserve is asked for the memory of tries;
// nil means that there is no limit. Parse does not keep data.
//
// It is an error if data is damaged, or a piece is empty or defined twice, or none is unknown, or
// byte_fallback is set without a piece for each byte.
func Parse(data []byte, reserve func(int64) error, stop parallel.Stop) (*Model, error) {
	return ParseOptions{}.Parse(data, reserve, stop)
}

// Parse is like the function Parse.
func (o ParseOptions) Parse(data []byte, reserve func(int64) error, stop parallel.Stop) (*Model, error) {
	f, err := readFile(data, stop)
	if err != nil {
		return nil, err
	}
	if o.NoDummyPrefix {
		f.normalizer.dummyPrefix = false
	}
	m := &Model{
		kind: f.kind, pieces: f.pieces, scores: f.scores, types: f.types, unknown: -1,
		byteFallback: f.byteFallback, latest: o.Latest, suffix: f.suffix,
		stripped:    f.normalizer.dummyPrefix || f.normalizer.removeSpaces,
		strippedAll: f.normalizer.removeSpaces, unknownSurface: f.unknownSurface,
	}
	if m.kind < unigramModel || m.kind > charModel {
		return nil, faults.Errorf("model_type is %d, expected 1 to 4", m.kind)
	}
	if err := m.index(f, reserve, stop); err != nil {
		return nil, err
	}
	m.bos, m.eos, m.pad = m.id(f.bos), m.id(f.eos), m.id(f.pad)
	var matcher charsmap.Matcher
	if m.kept != nil {
		matcher = m.kept
	}
	if m.normalizer, err = f.normalizer.normalizer(f.suffix, matcher); err != nil {
		return nil, err
	}
	if len(f.denormalizer.charsMap) > 0 {
		if m.denormalizer, err = f.denormalizer.normalizer(false, nil); err != nil {
			return nil, err
		}
	}
	switch m.kind {
	case unigramModel:
		m.unigram, err = newUnigram(m, reserve, stop)
	case bpeModel:
		m.bpe = newBPE(m)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// index checks the pieces, and makes what finds them.
func (m *Model) index(f *file, reserve func(int64) error, stop parallel.Stop) error {
	var texts [2]ragged.Strings // of normal and reserved pieces
	texts[0].Chars, texts[1].Chars = m.pieces.Chars, m.pieces.Chars
	var ids [2][]int32
	symbols := trie.NewKeys(0)
	var k kept
	found := 0
	meter := stop.Meter()
	for i := range m.pieces.Len() {
		text := m.pieces.At(i)
		if len(text) == 0 {
			return faults.Errorf("piece %d is empty", i)
		}
		if meter.Spent(8) {
			return parallel.ErrStopped
		}
		list := 0
		switch m.types[i] {
		case userDefined:
			symbols.Add(text, int32(i))
			k.starts[text[0]] = true
			m.kept = &k
		case normal, unused:
		case unknown:
			if m.unknown >= 0 {
				return faults.Errorf("pieces %d and %d are unknown, expected one", m.unknown, i)
			}
			m.unknown, list = int32(i), 1
		case byteValue:
			b := byteOf(text)
			if !m.byteFallback || b < 0 {
				return faults.Errorf("piece %d is the byte %q with byte_fallback=%v, expected <0x00> to <0xFF> with byte_fallback", i, text, m.byteFallback)
			}
			m.bytes[b], list = int32(i), 1
			found++
		default:
			list = 1
		}
		if list == 0 {
			m.longest = max(m.longest, len(text))
		}
		texts[list].Begins, texts[list].Ends = append(texts[list].Begins, m.pieces.Begins[i]), append(texts[list].Ends, m.pieces.Ends[i])
		ids[list] = append(ids[list], int32(i))
	}
	if m.unknown < 0 {
		return faults.Errorf("none of the pieces is unknown")
	}
	for i, n := range []*numbered{&m.normal, &m.reserved} {
		index, err := wordindex.New(texts[i], true, stop)
		if err != nil {
			return err
		}
		n.index, n.ids = index, ids[i]
		if index.Repeats {
			for k := range ids[i] {
				if first, _ := n.find(texts[i].At(k)); first != ids[i][k] {
					return faults.Errorf("pieces %d and %d are both %q", first, ids[i][k], texts[i].At(k))
				}
			}
		}
	}
	if m.byteFallback && found < 256 {
		return faults.Errorf("byte_fallback is set with pieces for %d bytes, expected 256", found)
	}
	for k, id := range m.reserved.ids {
		if other, ok := m.normal.find(texts[1].At(k)); ok {
			if m.canonical == nil {
				m.canonical = make([]int32, m.pieces.Len())
				for i := range m.canonical {
					m.canonical[i] = int32(i)
				}
			}
			m.canonical[other] = id
		}
	}
	if m.kept != nil {
		var err error
		if k.symbols, err = trie.New(symbols, reserve, stop); err != nil {
			return err
		}
	}
	return nil
}

// byteOf returns the byte that a piece such as <0x0A> stands for; -1 if it is none.
func byteOf(piece []byte) int {
	if len(piece) != 6 || string(piece[:3]) != "<0x" || piece[5] != '>' {
		return -1
	}
	value := 0
	for _, c := range piece[3:5] {
		switch {
		case '0' <= c && c <= '9':
			value = value<<4 | int(c-'0')
		case 'A' <= c && c <= 'F':
			value = value<<4 | int(c-'A'+10)
		default:
			return -1
		}
	}
	return value
}

// Scratch is the memory of calls of Encode and Decode, and their limits. The zero value can be
// used, and has no limits. Calls at the same time need a Scratch each.
type Scratch struct {
	limits.Limits
	meter    parallel.Meter
	work     charsmap.Work
	text     []byte // normalized
	unknowns []unknownRun
	surfaces []byte // of unknowns
	decoded  []byte
	nodes    []pathNode
	symbols  []symbol
	pairs    []pair
	splits   map[string][2]int // of an unused piece, where it was merged last
	lattice  lattice
	sampling sampling
}

// start prepares s for a call.
func (s *Scratch) start() {
	s.meter, s.work.Limits = s.Stop.Meter(), s.Limits
}

func (s *Scratch) grow(dst []byte, n int) ([]byte, error) {
	return limits.Grow(&s.Limits, dst, len(dst)+n)
}
