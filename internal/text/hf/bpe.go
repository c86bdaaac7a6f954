package hf

import (
	"slices"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/bpe"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/wordcache"
)

// bytePair is a byte-pair encoding. A word is cut into characters, and then the two neighbors whose
// merge has the lowest rank become one, the leftmost first, until no merge applies.
//
// The usual vocabularies are computed by package bpe, which is faster, and cuts a word into all
// words that no merge makes: it gets those that are a character only. It is not used where
// characters can be unknown, or words have prefixes or suffixes.
type bytePair struct {
	words        *words
	fast         *bpe.Tokenizer // nil if it cannot be used
	ignoreMerges bool
	rawBytes     bool // characters are bytes
	merges       map[[2]int32]merge
	prefix       string
	suffix       string
	unknown      int32 // -1 if there is none
	fuse         bool
	fallback     *fallback        // nil if there is none
	cache        *wordcache.Cache // nil if fast has one
}

type merge struct{ rank, id int32 }

func (b *builder) newBPE(m *Model) (model, error) {
	w := &b.t.words
	p := &bytePair{
		words: w, ignoreMerges: m.IgnoreMerges, rawBytes: b.t.rawBytes, prefix: m.Prefix, suffix: m.Suffix, unknown: b.unknownOf(m), fuse: m.FuseUnknown,
		cache: newCache(),
	}
	if m.HasUnknown && p.unknown < 0 {
		return nil, faults.Errorf("unk_token %.100q is not in the vocabulary", m.Unknown)
	}
	if m.ByteFallback {
		p.fallback = w.fallback()
	}
	left, right := m.Left, m.Right
	if p.rawBytes {
		var err error
		if p.words, err = b.unmapped(w); err != nil {
			return nil, err
		}
		left, right = unmappedAll(left), unmappedAll(right)
	}
	merges, err := b.mergesOf(p, w, left, right)
	if err != nil {
		return nil, err
	}
	if p.canBeFast(m) {
		ok, err := p.setFast(b, merges)
		if !p.ignoreMerges && ok {
			p.cache = nil // p.fast has one
			if p.rawBytes {
				p.words.index = nil // which nothing reads, unlike that of the file's words
			}
		}
		if ok || err != nil {
			return p, err
		}
	}
	if err := b.ask(48 * int64(len(merges))); err != nil {
		return nil, err
	}
	p.merges = make(map[[2]int32]merge, len(merges))
	for rank, x := range merges {
		p.merges[[2]int32{x[0], x[1]}] = merge{int32(rank), x[2]}
	}
	return p, nil
}

// unmapped returns words with bytes for the characters that stand for them. A word with other
// characters becomes an empty one: no text has it.
func (b *builder) unmapped(w *words) (*words, error) {
	c := *w
	if err := b.ask(int64(len(w.Chars)) + 8*int64(w.Len())); err != nil {
		return nil, err
	}
	c.Strings = unmappedAll(w.Strings)
	out := &builder{t: &Tokenizer{}, file: &File{Model: Model{Words: c.Strings, IDs: w.ids}}, reserve: b.reserve, stop: b.stop}
	if err := out.addWords(); err != nil {
		return nil, err
	}
	return &out.t.words, nil
}

func unmappedAll(s ragged.Strings) ragged.Strings {
	out := ragged.Strings{Begins: make([]int32, s.Len()), Ends: make([]int32, s.Len()), Chars: make([]byte, 0, len(s.Chars))}
	for i := range s.Len() {
		begin := len(out.Chars)
		word, ok := unmapBytes(out.Chars, s.At(i))
		if !ok {
			word = word[:begin]
		}
		out.Chars = word
		out.Begins[i], out.Ends[i] = int32(begin), int32(len(word))
	}
	return out
}

// mergeBlock is the number of merges whose parts are looked for at a time.
const mergeBlock = 16

// mergesOf returns the ids of the parts and the result of each merge, -1 for one that no text can
// have.
func (b *builder) mergesOf(p *bytePair, original *words, left, right ragged.Strings) ([][3]int32, error) {
	if err := b.ask(12 * int64(left.Len())); err != nil {
		return nil, err
	}
	merges, meter := make([][3]int32, left.Len()), b.stop.Meter()
	var parts [2 * mergeBlock][]byte
	var found [2 * mergeBlock]int32
	var text []byte
	result := 0
	for first := 0; first < len(merges); first += mergeBlock {
		block := merges[first:min(first+mergeBlock, len(merges))]
		if meter.Spent(64 * len(block)) {
			return nil, parallel.ErrStopped
		}
		for i := range block {
			parts[2*i], parts[2*i+1] = left.At(first+i), right.At(first+i)
		}
		p.words.index.FindAll(parts[:2*len(block)], found[:])
		for i := range block {
			l, r := parts[2*i], parts[2*i+1]
			if len(l) == 0 || len(r) < len(p.prefix) {
				block[i] = [3]int32{-1, -1, -1}
				continue
			}
			text = append(append(text[:0], l...), r[len(p.prefix):]...)
			// Most vocabularies have the results in the order of the merges.
			number, ok := p.words.index.FindNear(text, result)
			if ok {
				result = number
			}
			for k, x := range [3]struct {
				word   []byte
				number int
			}{{l, int(found[2*i])}, {r, int(found[2*i+1])}, {text, number}} {
				switch {
				case x.number >= 0:
					block[i][k] = p.words.ids[x.number]
				case len(x.word) > 0:
					return nil, faults.Errorf("merge %d: %.100q is not in the vocabulary", first+i, x.word)
				}
			}
		}
	}
	return merges, nil
}

// canBeFast reports whether all characters are known, or what is unknown depends on each byte
// alone.
func (p *bytePair) canBeFast(m *Model) bool {
	switch {
	case m.Prefix+m.Suffix != "" || p.words.repeats:
		return false
	case p.unknown < 0 && p.fallback == nil:
		return true
	case p.fallback != nil && !p.rawBytes:
		// A byte that has no token must be a character that has one.
		for c, id := range p.fallback.ids {
			if _, ok := p.words.id([]byte{byte(c)}); id < 0 && (!ok || c >= utf8.RuneSelf) {
				return false
			}
		}
		return true
	case !p.rawBytes || p.fallback != nil:
		return false
	}
	for c := range 256 {
		if _, ok := p.words.id([]byte{byte(c)}); !ok {
			return false
		}
	}
	return true
}

// isCharacter reports whether a word is one character, or one byte.
func (p *bytePair) isCharacter(word []byte) bool {
	if p.rawBytes {
		return len(word) == 1
	}
	_, n := utf8.DecodeRune(word)
	return n == len(word)
}

// setFast makes p.fast of the words that a text can be cut into: characters, and what merges make
// of them. ok is false if the merges need more.
func (p *bytePair) setFast(b *builder, merges [][3]int32) (ok bool, err error) {
	w := p.words
	n := len(w.byID)
	if err := b.ask(9*int64(n) + 13*int64(len(merges))); err != nil {
		return false, err
	}
	reached := make([]bool, n)
	v := &bpe.Vocabulary{}
	if !p.ignoreMerges { // else there is a cache of whole words before it
		v.CacheCapacity = cached
	}
	v.Words = ragged.Strings{Begins: make([]int32, n), Ends: make([]int32, n), Chars: w.Chars}
	keep := func(id int32) {
		reached[id] = true
		v.Words.Begins[id], v.Words.Ends[id] = w.Begins[w.byID[id]], w.Ends[w.byID[id]]
	}
	for id, i := range w.byID {
		if i < 0 || w.Ends[i] == w.Begins[i] || !p.isCharacter(w.At(int(i))) {
			continue
		}
		if last, _ := w.id(w.At(int(i))); int(last) == id {
			keep(int32(id))
		}
	}
	kept := make([]bool, len(merges))
	for changed := true; changed; {
		changed = false
		for i, x := range merges {
			if kept[i] || x[0] < 0 || !reached[x[0]] || !reached[x[1]] {
				continue
			}
			kept[i], changed = true, true
			keep(x[2])
		}
		if b.stop.Requested() {
			return false, parallel.ErrStopped
		}
	}
	v.Merges = make([][3]int32, 0, len(merges))
	for i, x := range merges {
		if kept[i] {
			v.Merges = append(v.Merges, x)
		}
	}
	v.ByteIDs = slices.Repeat([]int32{-1}, 256)
	if p.fallback != nil {
		for _, id := range p.fallback.ids {
			if id < 0 {
				continue
			}
			for _, x := range merges {
				if x[0] == id || x[1] == id {
					return false, nil
				}
			}
			if reached[id] {
				return false, nil
			}
		}
		v.ByteIDs = p.fallback.ids[:]
	}
	temporary, lasting := v.Bytes(n, 0, len(merges))
	if err := b.ask(temporary + lasting); err != nil {
		return false, err
	}
	p.fast, err = bpe.New(v, b.reserve, b.stop)
	return err == nil, err
}

func (p *bytePair) append(dst []int32, word []byte, s *modelScratch) (_ []int32, err error) {
	if p.cache == nil || s.cover != nil {
		return p.compute(dst, word, s)
	}
	if dst, err = limits.Grow(&s.Limits, dst, len(dst)+wordcache.MaxIDs); err != nil {
		return dst, err
	}
	dst, ok := p.cache.Append(dst, word)
	if ok {
		return dst, nil
	}
	first := len(dst)
	if dst, err = p.compute(dst, word, s); err == nil {
		p.cache.Put(word, dst[first:])
	}
	return dst, err
}

// compute is append without the cache.
func (p *bytePair) compute(dst []int32, word []byte, s *modelScratch) (_ []int32, err error) {
	if p.ignoreMerges {
		if id, ok := p.words.id(word); ok && len(word) > 0 {
			if err := s.cover.Add(0, len(word)); err != nil {
				return dst, err
			}
			return appendID(dst, id, &s.Limits)
		}
	}
	if p.fast == nil {
		if err := p.setSymbols(word, s); err != nil {
			return dst, err
		}
		return p.merge(dst, s)
	}
	if dst, err = limits.Grow(&s.Limits, dst, len(dst)+p.fast.MaxTokens(len(word))); err != nil {
		return dst, err
	}
	s.bpe.Limits = s.Limits
	first := len(dst)
	if dst, err = p.fast.Append(dst, word, &s.bpe); err == nil && s.cover != nil {
		err = p.coverAll(dst[first:], s)
	}
	return dst, err
}

// coverAll says which bytes of a word the tokens have that p.fast made of it: each is a word, or a
// byte.
func (p *bytePair) coverAll(ids []int32, s *modelScratch) error {
	at := 0
	for _, id := range ids {
		size := len(p.words.at(id))
		if p.fallback != nil && p.fallback.has(id) {
			size = 1
		}
		if err := s.cover.Add(at, at+size); err != nil {
			return err
		}
		at += size
	}
	return nil
}

// symbol is a token of a word while it is merged, in a list.
type symbol struct {
	id, size       int32 // size in bytes of the word
	previous, next int32 // -1 at the ends
	gone           bool  // became a part of the symbol before it
}

// setSymbols cuts a word into characters.
func (p *bytePair) setSymbols(word []byte, s *modelScratch) (err error) {
	s.ids, s.sizes = s.ids[:0], s.sizes[:0]
	unknown := int32(0) // bytes of unknown characters that were not added yet, which are one token
	for at := 0; at < len(word); {
		size := 1
		if !p.rawBytes {
			_, size = utf8.DecodeRune(word[at:])
		}
		s.word = s.word[:0]
		if at > 0 {
			s.word = append(s.word, p.prefix...)
		}
		s.word = append(s.word, word[at:at+size]...)
		if at += size; at == len(word) {
			s.word = append(s.word, p.suffix...)
		}
		if id, ok := p.words.id(s.word); ok {
			if unknown > 0 {
				if err = s.addSymbol(p.unknown, unknown); err != nil {
					return err
				}
			}
			unknown = 0
			if err = s.addSymbol(id, int32(size)); err != nil {
				return err
			}
			continue
		}
		if p.fallback != nil {
			before := len(s.ids)
			ids, ok, err := p.fallback.append(s.ids, s.word, &s.Limits)
			for range len(ids) - before {
				if err == nil {
					s.sizes, err = appendID(s.sizes, 1, &s.Limits)
				}
			}
			if s.ids = ids; ok || err != nil {
				if err != nil {
					return err
				}
				continue
			}
		}
		if p.unknown < 0 {
			continue
		}
		if unknown > 0 && !p.fuse {
			if err = s.addSymbol(p.unknown, unknown); err != nil {
				return err
			}
			unknown = 0
		}
		unknown += int32(size)
	}
	if unknown > 0 {
		err = s.addSymbol(p.unknown, unknown)
	}
	return err
}

// addSymbol adds a token that has size bytes of the word.
func (s *modelScratch) addSymbol(id, size int32) (err error) {
	if s.ids, err = appendID(s.ids, id, &s.Limits); err == nil {
		s.sizes, err = appendID(s.sizes, size, &s.Limits)
	}
	return err
}

// candidate is a merge that can be made of the symbol at a position and the next one.
type candidate struct{ rank, at, id int32 }

func (c candidate) before(other candidate) bool {
	return c.rank < other.rank || c.rank == other.rank && c.at < other.at
}

// merge appends the tokens that merges make of s.ids.
func (p *bytePair) merge(dst []int32, s *modelScratch) (_ []int32, err error) {
	n := len(s.ids)
	if s.symbols, err = limits.Grow(&s.Limits, s.symbols[:0], n); err != nil {
		return dst, err
	}
	for i, id := range s.ids {
		s.symbols = append(s.symbols, symbol{id: id, size: s.sizes[i], previous: int32(i - 1), next: int32(i + 1)})
	}
	if n > 0 {
		s.symbols[n-1].next = -1
	}
	s.queue = s.queue[:0]
	for i := range n - 1 {
		if err := p.push(int32(i), s); err != nil {
			return dst, err
		}
	}
	meter := s.Stop.Meter()
	for len(s.queue) > 0 {
		if meter.Spent(64) {
			return dst, parallel.ErrStopped
		}
		c := s.pop()
		left := &s.symbols[c.at]
		if left.gone || left.next < 0 {
			continue
		}
		right := &s.symbols[left.next]
		if m, ok := p.merges[[2]int32{left.id, right.id}]; !ok || m.id != c.id {
			continue
		}
		left.id, left.next, right.gone = c.id, right.next, true
		left.size += right.size
		if left.next >= 0 {
			s.symbols[left.next].previous = c.at
			if err := p.push(c.at, s); err != nil {
				return dst, err
			}
		}
		if left.previous >= 0 {
			if err := p.push(left.previous, s); err != nil {
				return dst, err
			}
		}
	}
	at := 0
	for i := range s.symbols {
		x := &s.symbols[i]
		if x.gone {
			continue
		}
		if dst, err = appendID(dst, x.id, &s.Limits); err != nil {
			return dst, err
		}
		if err := s.cover.Add(at, at+int(x.size)); err != nil {
			return dst, err
		}
		at += int(x.size)
	}
	return dst, nil
}

// push adds the merge of the symbol at a position and the next one, if there is one.
func (p *bytePair) push(at int32, s *modelScratch) (err error) {
	left := &s.symbols[at]
	m, ok := p.merges[[2]int32{left.id, s.symbols[left.next].id}]
	if !ok {
		return nil
	}
	if len(s.queue) == cap(s.queue) {
		if s.queue, err = limits.Grow(&s.Limits, s.queue, len(s.queue)+1); err != nil {
			return err
		}
	}
	s.queue = append(s.queue, candidate{m.rank, at, m.id})
	q := s.queue
	for i := len(q) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q[i].before(q[parent]) {
			break
		}
		q[i], q[parent] = q[parent], q[i]
		i = parent
	}
	return nil
}

// pop removes the first merge of the queue, which is a heap.
func (s *modelScratch) pop() candidate {
	q := s.queue
	first, n := q[0], len(q)-1
	q[0] = q[n]
	q = q[:n]
	for i := 0; ; {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && q[child+1].before(q[child]) {
			child++
		}
		if !q[child].before(q[i]) {
			break
		}
		q[i], q[child] = q[child], q[i]
		i = child
	}
	s.queue = q
	return first
}
