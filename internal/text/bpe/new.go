package bpe

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/trie"
	"github.com/vinoir/vinoir/internal/text/wordcache"
	"github.com/vinoir/vinoir/internal/text/wordindex"
)

// Vocabulary is what a Tokenizer is made of. The strings are read only while it is made. Their
// ranges must have been checked.
type Vocabulary struct {
	// Words are the tokens: the id of a word is its index, the last one if it is there several
	// times.
	Words ragged.Strings
	// Left and Right are the two parts of each merge, in the order of ranks. If Pairs is set, Left
	// has both parts, with a space between them.
	Left, Right ragged.Strings
	Pairs       bool
	// Merges, if not nil, are the merges instead: the indices in Words of the two parts and of the
	// result. There are no Added words then.
	Merges [][3]int32
	// Added are more words, with their ids. Words win, and the first one of equal ones.
	Added    ragged.Strings
	AddedIDs []int32

	// Unknown is the word whose id is that of a byte at which no word starts. If Words does not
	// have it, the byte is left out.
	Unknown string
	// ByteFallback means that the id of such a byte is that of the word "<0x0A>", if there is one.
	ByteFallback bool
	// ByteIDs, if not nil, has the ids of such bytes instead: the index of a word, -1 for a byte
	// that is left out.
	ByteIDs []int32
	// EndSuffix is appended to each word.
	EndSuffix string
	// CacheCapacity is the number of words whose tokens are remembered, at most as many as fit
	// wordcache.MaxBytes.
	CacheCapacity int
}

// Bytes returns the memory that New takes until it returns, and that of the Tokenizer, for a
// vocabulary with the given numbers of strings. New asks its argument reserve for the memory of the
// words that no merge makes.
func (v *Vocabulary) Bytes(words, added, merges int) (temporary, kept int64) {
	temporary = wordindex.Bytes(words) + wordindex.Bytes(added) + 17*int64(words+added) + sizeOf[[3]int32](merges)
	return temporary, sizeOf[merge](slotsFor(merges)) + maxJoins/8 + wordcache.Bytes(v.CacheCapacity)
}

// noID is the id that OpenVINO takes for "not found".
const noID = -1

// New returns a Tokenizer for a vocabulary. reserve is asked for the memory that the words need
// which no merge makes; nil means that there is no limit. It is an error if a part of a merge, or
// both parts together, are not a word.
func New(v *Vocabulary, reserve func(int64) error, stop parallel.Stop) (*Tokenizer, error) {
	// The Tokenizer is no part of the builder, which would live as long otherwise.
	b := builder{v: v, t: &Tokenizer{}, stop: stop, meter: stop.Meter(), reserve: reserve}
	if err := b.indexWords(); err != nil {
		return nil, err
	}
	if err := b.readMerges(); err != nil {
		return nil, err
	}
	if err := b.addSymbols(); err != nil {
		return nil, err
	}
	b.t.endSuffix, b.t.cache = v.EndSuffix, wordcache.New(v.CacheCapacity)
	return b.t, nil
}

type builder struct {
	v       *Vocabulary
	t       *Tokenizer
	stop    parallel.Stop
	meter   parallel.Meter
	reserve func(int64) error
	words   *wordindex.Index
	added   *wordindex.Index
	// outside has a number for each id of an added word that is not the index of a word.
	outside map[int32]int
	// outsideIDs has those ids, by their numbers.
	outsideIDs []int32
	merged     []bool     // by the number of a word, of Words and then of Added: a merge makes it
	ranks      [][3]int32 // left, right and result of each merge, by the number of an id
	// firsts and lasts have the classes of ids that start and end alike, by the number of an id:
	// the result of a merge starts like its left part, and ends like its right part. All that can
	// come from a symbol is then in the class of the symbol.
	firsts, lasts union
	lefts, rights []uint32 // the classes of joins, by the root of a class of lasts and of firsts
	text          []byte
}

func (b *builder) indexWords() (err error) {
	v := b.v
	if len(v.AddedIDs) != v.Added.Len() {
		return faults.Errorf("%d added tokens and %d ids of added tokens", v.Added.Len(), len(v.AddedIDs))
	}
	if n := v.Left.Len(); !v.Pairs && n != v.Right.Len() {
		return faults.Errorf("%d left parts and %d right parts of merges", n, v.Right.Len())
	}
	if int64(v.Words.Len())+int64(v.Added.Len()) > math.MaxInt32/2 || v.Left.Len() > math.MaxInt32/2 {
		return faults.Errorf("%d words, %d added tokens and %d merges", v.Words.Len(), v.Added.Len(), v.Left.Len())
	}
	if b.words, err = wordindex.New(v.Words, false, b.stop); err != nil {
		return err
	}
	b.added, err = wordindex.New(v.Added, true, b.stop)
	return err
}

// find returns the number of a word: its index in Words, or behind them that in Added.
func (b *builder) find(word []byte) (int, bool) {
	if i, ok := b.words.Find(word); ok {
		return i, true
	}
	i, ok := b.added.Find(word)
	return b.v.Words.Len() + i, ok
}

// findResult is find for the result of a merge. Most vocabularies have the results in the order of
// the merges: it is that of the merge before, or the word after it.
func (b *builder) findResult(word []byte, before int) (int, bool) {
	if i, ok := b.words.FindNear(word, before); ok {
		return i, true
	}
	i, ok := b.added.Find(word)
	return b.v.Words.Len() + i, ok
}

// idOf returns the id of a word by its number.
func (b *builder) idOf(word int) int32 {
	if n := b.v.Words.Len(); word >= n {
		return b.v.AddedIDs[word-n]
	}
	return int32(word)
}

// numberOf returns the number of the id of a word: the id itself if it is the index of a word, and
// a number behind them otherwise.
func (b *builder) numberOf(word int) int32 {
	n := b.v.Words.Len()
	id := b.idOf(word)
	if id >= 0 && int(id) < n {
		return id
	}
	number, ok := b.outside[id]
	if !ok {
		if b.outside == nil {
			b.outside = make(map[int32]int)
		}
		number = n + len(b.outside)
		b.outside[id] = number
		b.outsideIDs = append(b.outsideIDs, id)
	}
	return int32(number)
}

// idAt returns the id with a number.
func (b *builder) idAt(number int32) int32 {
	if n := b.v.Words.Len(); int(number) >= n {
		return b.outsideIDs[int(number)-n]
	}
	return number
}

func slotsFor(merges int) int { return 1 << max(bits.Len(uint(merges+merges/2)), 1) }

// mergeBlock is the number of merges whose parts are looked for at a time.
const mergeBlock = 16

// readMerges reads the merges, and marks the words that they make.
func (b *builder) readMerges() error {
	n := b.v.Left.Len()
	b.merged = make([]bool, b.v.Words.Len()+b.v.Added.Len())
	if b.v.Merges != nil {
		b.ranks = b.v.Merges
		for _, m := range b.ranks {
			b.merged[m[2]] = true
		}
		return b.putMerges()
	}
	b.ranks = make([][3]int32, 0, n)
	var parts [2 * mergeBlock][]byte
	var found [2 * mergeBlock]int32
	for total, result := 0, 0; len(b.ranks) < n; {
		count := min(n-len(b.ranks), mergeBlock)
		for i := range count {
			left, right := b.v.parts(len(b.ranks) + i)
			if total += len(left) + len(right); total > 2*wordindex.MaxBytes {
				return faults.Errorf("the merges have more than %d bytes", 2*wordindex.MaxBytes)
			}
			if b.meter.Spent(64 + (len(left)+len(right))/4) {
				return parallel.ErrStopped
			}
			parts[2*i], parts[2*i+1] = left, right
		}
		b.words.FindAll(parts[:2*count], found[:])
		for i := range count {
			var err error
			if result, err = b.addMerge([2][]byte(parts[2*i:]), [2]int32(found[2*i:]), result); err != nil {
				return err
			}
		}
	}
	return b.putMerges()
}

// parts returns the left and the right part of a merge.
func (v *Vocabulary) parts(rank int) (left, right []byte) {
	left = v.Left.At(rank)
	if !v.Pairs {
		return left, v.Right.At(rank)
	}
	if before, after, ok := bytes.Cut(left, []byte(" ")); ok {
		return before, after
	}
	return left, left // as OpenVINO cuts at the character before the first one
}

// addMerge adds the next merge. found has the indices of its parts in Words, -1 for a part that is
// not there. before is the number of the result of the merge before; that of this one is returned.
func (b *builder) addMerge(parts [2][]byte, found [2]int32, before int) (result int, err error) {
	unknown := func(text []byte) error {
		return faults.Errorf("merge %d: %q is not in the vocabulary", len(b.ranks), cut(text))
	}
	var numbers [3]int32
	for i, text := range parts {
		word := int(found[i])
		if word < 0 {
			added, ok := b.added.Find(text)
			if !ok {
				return 0, unknown(text)
			}
			word = b.v.Words.Len() + added
		}
		numbers[i] = b.numberOf(word)
	}
	b.text = append(append(b.text[:0], parts[0]...), parts[1]...)
	result, ok := b.findResult(b.text, before)
	if !ok {
		return 0, unknown(b.text)
	}
	b.merged[result], numbers[2] = true, b.numberOf(result)
	b.ranks = append(b.ranks, numbers)
	return result, nil
}

// putMerges makes the table of merges. This loop does nothing else, so that the processor waits for
// several slots at the same time.
func (b *builder) putMerges() error {
	n := len(b.ranks)
	slots := slotsFor(n)
	b.t.merges = merges{make([]merge, slots), uint8(64 - bits.Len(uint(slots-1))), rand.Uint64(), n}
	for rank, m := range b.ranks {
		if b.meter.Spent(16) {
			return parallel.ErrStopped
		}
		b.t.merges.put(merge{b.idAt(m[0]), b.idAt(m[1]), int32(rank) + 1, b.idAt(m[2])})
	}
	return nil
}

// cut returns the start of a word, for an error.
func cut(word []byte) []byte { return word[:min(len(word), 80)] }

// put adds a merge. Of several with the same parts, the last one counts.
func (m *merges) put(add merge) {
	for at := m.slot(add.left, add.right); ; at++ {
		slot := &m.slots[at&uint64(len(m.slots)-1)]
		if slot.rank == 0 || slot.left == add.left && slot.right == add.right {
			*slot = add
			return
		}
	}
}

// addSymbols sets the symbols: the words that no merge makes, and those of other bytes.
func (b *builder) addSymbols() error {
	if err := b.classify(); err != nil {
		return err
	}
	v, n := b.v, 0
	for _, merged := range b.merged {
		if !merged {
			n++
		}
	}
	if b.reserve != nil {
		if err := b.reserve(int64(n) * (trie.EntryBytes + symbolBytes)); err != nil {
			return err
		}
	}
	keys := trie.NewKeys(n)
	b.t.symbols = make([]symbol, 0, n)
	for word, merged := range b.merged {
		if b.meter.Spent(16) {
			return parallel.ErrStopped
		}
		if merged {
			continue
		}
		var text []byte
		if i := word - v.Words.Len(); i < 0 {
			text = v.Words.At(word)
		} else {
			text = v.Added.At(i)
		}
		// Only the last of equal words has an id, and no added word that is in Words as well.
		if last, _ := b.find(text); last != word || b.idOf(word) == noID {
			continue
		}
		keys.Add(text, b.symbolOf(word))
	}
	var err error
	if b.t.starts, err = trie.NewMatcher(keys, b.reserve, b.stop); err != nil {
		return err
	}
	b.setUnmatched()
	return nil
}

// maxJoins is the largest number of bits of joins. If there are more pairs of classes, some share a
// bit.
const maxJoins = 1 << 22

// classify finds which neighbours merges can join.
func (b *builder) classify() error {
	n := b.v.Words.Len() + len(b.outside)
	b.firsts, b.lasts = newUnion(n), newUnion(n)
	for _, m := range b.ranks {
		if b.meter.Spent(32) {
			return parallel.ErrStopped
		}
		b.firsts.join(m[2], m[0])
		b.lasts.join(m[2], m[1])
	}
	b.lefts, b.rights = make([]uint32, n), make([]uint32, n)
	lefts, rights := uint32(1), uint32(1) // class 0 is joined with nothing
	for _, m := range b.ranks {
		if class := &b.lefts[b.lasts.root(m[0])]; *class == 0 {
			*class = lefts
			lefts++
		}
		if class := &b.rights[b.firsts.root(m[1])]; *class == 0 {
			*class = rights
			rights++
		}
		if b.meter.Spent(32) {
			return parallel.ErrStopped
		}
	}
	size := 64
	for size < maxJoins && uint64(size) < uint64(lefts)*uint64(rights) {
		size *= 2
	}
	j := &b.t.joins
	*j = joins{make([]uint64, size/64), rights, uint32(size - 1)}
	for _, m := range b.ranks {
		at := (b.lefts[b.lasts.root(m[0])]*rights + b.rights[b.firsts.root(m[1])]) & j.mask
		j.bits[at/64] |= 1 << (at % 64)
	}
	return nil
}

// union is a union-find structure: each element refers to another one of its class, the root to
// itself.
type union []int32

func newUnion(n int) union {
	u := make(union, n)
	for i := range u {
		u[i] = int32(i)
	}
	return u
}

func (u union) root(i int32) int32 {
	for u[i] != i {
		u[i] = u[u[i]]
		i = u[i]
	}
	return i
}

func (u union) join(i, j int32) { u[u.root(i)] = u.root(j) }

const symbolBytes = 12

// setUnmatched sets the symbols of bytes at which no word starts.
func (b *builder) setUnmatched() {
	unknown := int32(-1)
	if word, ok := b.find([]byte(b.v.Unknown)); ok && b.idOf(word) != noID {
		unknown = b.symbolOf(word)
	}
	for i := range b.t.unmatched {
		b.t.unmatched[i] = unknown
		if b.v.ByteIDs != nil {
			if b.t.unmatched[i] = -1; b.v.ByteIDs[i] >= 0 {
				b.t.unmatched[i] = b.symbolOf(int(b.v.ByteIDs[i]))
			}
			continue
		}
		if !b.v.ByteFallback {
			continue
		}
		if word, ok := b.find(fmt.Appendf(nil, "<0x%02X>", i)); ok && !b.merged[word] && b.idOf(word) != noID {
			b.t.unmatched[i] = b.symbolOf(word)
		}
	}
}

// symbolOf adds the symbol of a word.
func (b *builder) symbolOf(word int) int32 {
	s := symbol{id: b.idOf(word)}
	if number := b.numberOf(word); int(number) < len(b.firsts) { // otherwise no merge has it
		s.left, s.right = b.lefts[b.lasts.root(number)], b.rights[b.firsts.root(number)]
	}
	b.t.symbols = append(b.t.symbols, s)
	return int32(len(b.t.symbols) - 1)
}
