package charsmap

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
)

// builtin is a Map that was made from the tables. Hangul syllables are computed.
type builtin struct {
	// pages[i] is the page of the code points 64·i to 64·i+63; cells has the pages one after the
	// other. The first page is empty.
	pages []uint16
	cells []cell
	// texts has the values of cells and nodes.
	texts []byte
	// nodes are those of a trie of the characters that sequences of more than one consist of, whose
	// root has no node: starts has the node for each character that a sequence can start with.
	starts []uint16
	nodes  []node
	edges  []edge
	// decomposes means that Hangul syllables are replaced by their jamo, composes the inverse.
	decomposes, composes bool
}

// cell is what a map has for a code point.
type cell struct {
	value  span   // its value alone; empty if it has none
	symbol uint16 // its symbol in sequences, with leads and follows; 0 if it is in none
}

// leads and follows mark symbols that a sequence starts with, and that come later in one.
const (
	leads   = 1 << 15
	follows = 1 << 14
	// symbolMask selects the number of a symbol. The first are those of jamo.
	symbolMask = follows - 1
)

// span is a part of texts: the offset, times 64, plus the length.
type span uint32

const spanBits = 6

// node is a node of the trie of sequences. Its edges are sorted by their symbols.
type node struct {
	value       span
	first, last uint16 // of its edges
}

type edge struct{ symbol, node uint16 }

const (
	pageBits = 6
	pageMask = 1<<pageBits - 1

	// Hangul, as chapter 3.12 of the Unicode standard computes it.
	syllables                          = 0xAC00
	leading, vowel, trailing           = 0x1100, 0x1161, 0x11A7 // the last one stands for none
	leadings, vowels, trailings        = 19, 21, 28
	vowelSymbol, trailSymbol, symbols0 = 1 + leadings, 1 + leadings + vowels, 1 + leadings + vowels + trailings

	surrogates     = 0xD800
	surrogateCount = 0x800
)

// BuiltinBytes is the size of a Map that Builtin makes, and of what it needs meanwhile.
const BuiltinBytes = 1 << 20

// Builtin returns the map of a normalization form, nfc, nfd, nfkc, nfkd or identity, in letters of
// any case. fold adds simple case folding of what the map returns. identity without fold is an
// error.
func Builtin(form string, fold bool) (*Map, error) {
	lower := strings.ToLower(form)
	if lower == "identity" && fold {
		b := builder{values: map[rune]string{}, folds: table(folded)}
		return b.build(), nil
	}
	compatibility := lower == "nfkc" || lower == "nfkd"
	if !compatibility && lower != "nfc" && lower != "nfd" {
		return nil, faults.Errorf("normalization form %q with case_fold=%v, expected nfc, nfd, nfkc, nfkd, or identity with case folding", form, fold)
	}
	b := builder{values: table(composed), composes: lower == "nfc" || lower == "nfkc"}
	b.decomposes = !b.composes
	sequences := maps.Clone(b.values)
	for r, value := range table(decomposed) {
		b.values[r] = value
	}
	if compatibility {
		compatible := table(compatible)
		for r, value := range b.values {
			b.values[r] = mapped(value, compatible)
		}
		for r, value := range compatible {
			b.values[r] = value
		}
	}
	if b.composes {
		b.sequences = make(map[string]rune, len(sequences))
		for r, value := range sequences {
			b.sequences[value] = r
		}
		b.alone = map[rune]rune{}
		for r, value := range b.values {
			if only, size := utf8.DecodeRuneInString(value); size == len(value) {
				b.alone[r] = only
			}
			b.values[r] = b.compose(value)
		}
	}
	if fold {
		b.folds = table(folded)
	}
	return b.build(), nil
}

// mapped returns value with each character replaced by what t has for it.
func mapped(value string, t map[rune]string) string {
	out := ""
	for _, r := range value {
		if to, ok := t[r]; ok {
			out += to
		} else {
			out += string(r)
		}
	}
	return out
}

// builder collects what a builtin has.
type builder struct {
	values map[rune]string
	// sequences has the characters that sequences are composed to. alone has those that decompose
	// to one character, for which they can stand in a sequence.
	sequences            map[string]rune
	alone                map[rune]rune
	folds                map[rune]string
	decomposes, composes bool
}

// longestSequence is the number of characters of the longest sequence.
const longestSequence = 4

// compose replaces the longest sequences in value.
func (b *builder) compose(value string) string {
	rest := []rune(value)
	if len(rest) < 2 {
		return value
	}
	out := ""
	for len(rest) > 0 {
		r, size := b.composed(rest)
		out += string(r)
		rest = rest[size:]
	}
	return out
}

// composed returns what the longest sequence in front of text is composed to, and its length; if
// there is none, the first character.
func (b *builder) composed(text []rune) (r rune, size int) {
	for size := min(longestSequence, len(text)); size > 1; size-- {
		if r, ok := b.sequences[string(text[:size])]; ok {
			return r, size
		}
	}
	lead := text[0] - leading
	if len(text) == 1 || uint32(lead) >= leadings || uint32(text[1]-vowel) >= vowels {
		return text[0], 1
	}
	r = syllables + (lead*vowels+text[1]-vowel)*trailings
	if len(text) > 2 && text[2] > trailing && text[2] < trailing+trailings {
		return r + text[2] - trailing, 3
	}
	return r, 2
}

// build makes the tables that match reads.
func (b *builder) build() *Map {
	t := &builtin{cells: make([]cell, 1<<pageBits), texts: make([]byte, 1), composes: b.composes, decomposes: b.decomposes}
	for r, value := range b.values {
		if value != string(r) {
			t.cell(r).value = t.add(mapped(value, b.folds))
		}
	}
	for r, value := range b.folds {
		if _, ok := b.values[r]; !ok || b.values[r] == string(r) {
			t.cell(r).value = t.add(value)
		}
	}
	if b.composes {
		b.addSequences(t)
	}
	return &Map{built: t}
}

// cell returns the cell of a code point, with a page of its own.
func (t *builtin) cell(r rune) *cell {
	page := int(r >> pageBits)
	for len(t.pages) <= page {
		t.pages = append(t.pages, 0)
	}
	if t.pages[page] == 0 {
		t.pages[page] = uint16(len(t.cells) >> pageBits)
		t.cells = append(t.cells, make([]cell, 1<<pageBits)...)
	}
	return &t.cells[int(t.pages[page])<<pageBits|int(r&pageMask)]
}

// add adds a value to texts.
func (t *builtin) add(value string) span {
	at := len(t.texts)
	t.texts = append(t.texts, value...)
	return span(at<<spanBits | len(value))
}

// addSequences makes the trie of sequences, and sets the symbols of cells.
func (b *builder) addSequences(t *builtin) {
	symbols := map[rune]uint16{}
	for i := range rune(leadings) {
		symbols[leading+i] = uint16(1+i) | leads
	}
	for i := range rune(vowels) {
		symbols[vowel+i] = uint16(vowelSymbol+i) | follows
	}
	for i := rune(1); i < trailings; i++ {
		symbols[trailing+i] = uint16(trailSymbol+i) | follows
	}
	sequences := slices.Sorted(maps.Keys(b.sequences))
	count := uint16(symbols0)
	for _, sequence := range sequences {
		for i, r := range sequence {
			symbol := symbols[r]
			if symbol == 0 {
				symbol = count
				count++
			}
			if i == 0 {
				symbol |= leads
			} else {
				symbol |= follows
			}
			symbols[r] = symbol
		}
	}
	t.starts = make([]uint16, count)
	t.nodes = make([]node, 1, len(sequences))
	children := []map[uint16]uint16{nil} // of each node
	grow := func() uint16 {
		t.nodes, children = append(t.nodes, node{}), append(children, map[uint16]uint16{})
		return uint16(len(t.nodes) - 1)
	}
	for _, sequence := range sequences {
		at := uint16(0)
		for i, r := range sequence {
			symbol := symbols[r] & symbolMask
			next := &t.starts[symbol]
			if i > 0 {
				child := children[at][symbol]
				next = &child
			}
			if *next == 0 {
				*next = grow()
				if i > 0 {
					children[at][symbol] = *next
				}
			}
			at = *next
		}
		t.nodes[at].value = t.add(mapped(string(b.sequences[sequence]), b.folds))
	}
	for i, c := range children {
		t.nodes[i].first = uint16(len(t.edges))
		for _, symbol := range slices.Sorted(maps.Keys(c)) {
			t.edges = append(t.edges, edge{symbol, c[symbol]})
		}
		t.nodes[i].last = uint16(len(t.edges))
	}
	for r, symbol := range symbols {
		if _, ok := b.values[r]; !ok {
			t.cell(r).symbol = symbol
		}
	}
	for r, only := range b.alone {
		if symbol := symbols[only]; symbol != 0 {
			t.cell(r).symbol = symbol
		}
	}
}

// find returns the cell of a code point.
func (t *builtin) find(r rune) cell {
	if page := int(r >> pageBits); page < len(t.pages) {
		return t.cells[int(t.pages[page])<<pageBits|int(r&pageMask)]
	}
	return cell{}
}

func (t *builtin) text(s span) []byte {
	at := s >> spanBits
	return t.texts[at : at+s&(1<<spanBits-1)]
}

// match returns the length of the longest key in front of text, and its value; 0 if there is none.
func (t *builtin) match(text []byte, w *Work) (size int, value []byte) {
	r, length := utf8.DecodeRune(text)
	c := t.find(r)
	if c.symbol&leads != 0 {
		if size, value := t.sequence(c.symbol, length, text, w); size > 0 {
			return size, value
		}
	}
	switch {
	case c.value != 0:
		return length, t.text(c.value)
	case t.decomposes && uint32(r-syllables) < leadings*vowels*trailings:
		return length, decompose(r-syllables, w)
	}
	return 0, nil
}

// decompose returns the jamo of the Hangul syllable with a number.
func decompose(i rune, w *Work) []byte {
	value := utf8.AppendRune(w.value[:0], leading+i/(vowels*trailings))
	value = utf8.AppendRune(value, vowel+i/trailings%vowels)
	if i %= trailings; i > 0 {
		value = utf8.AppendRune(value, trailing+i)
	}
	return value
}

// sequence returns the length of the longest sequence that starts with symbol, which takes the
// first length bytes of text, and its value.
func (t *builtin) sequence(symbol uint16, length int, text []byte, w *Work) (size int, value []byte) {
	symbol &= symbolMask
	if symbol < vowelSymbol {
		return t.syllable(rune(symbol-1), length, text, w)
	}
	at := t.starts[symbol]
	for length < len(text) {
		next, n := t.follower(text[length:])
		if next == 0 {
			break
		}
		if at = t.child(at, next); at == 0 {
			break
		}
		length += n
		if s := t.nodes[at].value; s != 0 {
			size, value = length, t.text(s)
		}
	}
	return size, value
}

// child returns the node that a symbol leads to; 0 if there is none.
func (t *builtin) child(at, symbol uint16) uint16 {
	lo, hi := t.nodes[at].first, t.nodes[at].last
	for lo < hi {
		switch middle := (lo + hi) / 2; {
		case t.edges[middle].symbol == symbol:
			return t.edges[middle].node
		case t.edges[middle].symbol < symbol:
			lo = middle + 1
		default:
			hi = middle
		}
	}
	return 0
}

// follower returns the symbol of the first character of text, without its marks, and the length of
// the character; 0 if it comes later in no sequence.
func (t *builtin) follower(text []byte) (symbol uint16, length int) {
	if text[0] < utf8.RuneSelf {
		return 0, 0 // no ASCII character does, and nothing that decomposes to one
	}
	r, length := utf8.DecodeRune(text)
	if symbol = t.find(r).symbol; symbol&follows == 0 {
		return 0, 0
	}
	return symbol & symbolMask, length
}

// syllable returns the length of a leading jamo, which takes the first length bytes of text, and
// the vowel and the trailing jamo behind it, and the Hangul syllable that they compose; 0 if no
// vowel follows.
func (t *builtin) syllable(lead rune, length int, text []byte, w *Work) (size int, value []byte) {
	if length == len(text) {
		return 0, nil
	}
	symbol, n := t.follower(text[length:])
	if symbol < vowelSymbol || symbol >= trailSymbol {
		return 0, nil
	}
	r := syllables + (lead*vowels+rune(symbol-vowelSymbol))*trailings
	if length += n; length < len(text) {
		if symbol, n := t.follower(text[length:]); symbol > trailSymbol && symbol < symbols0 {
			r += rune(symbol - trailSymbol)
			length += n
		}
	}
	return length, utf8.AppendRune(w.value[:0], r)
}

// byteAlone returns what match returns for b, which is ASCII, and the class of a byte that is
// replaced by one.
func (t *builtin) byteAlone(b byte) (size int, value []byte, follow class) {
	size, value = t.match([]byte{b}, &Work{})
	if t.find(rune(b)).symbol&leads != 0 {
		return size, value, first
	}
	return size, value, plain
}
