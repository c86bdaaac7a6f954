package sentencepiece

import (
	"math"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/wordcache"
)

// bpe merges neighboring symbols as long as their text is a piece: that with the greatest score
// first, and of equal ones the leftmost.
type bpe struct {
	model *Model
	// orders are the scores of pieces as integers that ascend while scores descend.
	orders []uint32
	unused bool // there are pieces that are not used
	// A text is cut between two characters that no piece has next to each other: no merge crosses
	// that place. So symbols are merged in short parts. joins has a bit for the pairs of characters
	// in pieces, at a hash of the pair. Of others, few have the same bit; they are not cut.
	joins []uint64
	// parts has the ids of parts that were merged before.
	parts *wordcache.Cache
}

// cachedParts is the number of parts that are kept.
const cachedParts = 1 << 13

func newBPE(m *Model) *bpe {
	b := &bpe{model: m, orders: make([]uint32, m.Len()), parts: wordcache.New(cachedParts), joins: make([]uint64, 1<<joinBits/64)}
	for i, score := range m.scores {
		b.orders[i] = order(score)
	}
	for _, id := range m.normal.ids {
		b.unused = b.unused || m.types[id] == unused
		piece := m.Piece(id)
		last, n := char(piece)
		for piece = piece[n:]; len(piece) > 0; piece = piece[n:] {
			var next uint32
			next, n = char(piece)
			at := join(last, next)
			b.joins[at/64] |= 1 << (at % 64)
			last = next
		}
	}
	return b
}

// char returns the bytes of the character in front of text as a number, and its length.
func char(text []byte) (c uint32, n int) {
	if text[0] < utf8.RuneSelf {
		return uint32(text[0]), 1
	}
	n = charLen(text)
	for _, b := range text[:n] {
		c = c<<8 | uint32(b)
	}
	return c, n
}

// joinBits is the logarithm of the number of bits of joins.
const joinBits = 20

// join returns the bit of two characters.
func join(left, right uint32) uint64 {
	return (uint64(left)<<32 | uint64(right)) * 0x9E3779B97F4A7C15 >> (64 - joinBits)
}

// order returns an integer that ascends while score descends.
func order(score float32) uint32 {
	if score == 0 {
		score = 0 // not the negative one
	}
	bits := math.Float32bits(score)
	if bits>>31 == 0 {
		return math.MaxInt32 - bits
	}
	return bits
}

// symbol is a part of the text. It is empty once it was merged into the one before it.
type symbol struct {
	begin, end     int32
	previous, next int32 // -1 at the ends
	defined        bool  // the user defined it: it is not merged
}

// pair is a merge that may be possible.
type pair struct {
	key       uint64 // the order, and then the number of the left symbol
	right, id int32
}

func (p *pair) left() int32 { return int32(p.key & math.MaxUint32) }

// encode is the library's SampleEncode.
func (b *bpe) encode(w *writer, s *Scratch, o Options) error {
	if len(s.text) >= math.MaxInt32 {
		return faults.Errorf("the text has %d bytes, expected fewer than %d", len(s.text), math.MaxInt32)
	}
	dropped := float32(0) // the probability that a merge is left out
	if o.sampled() {
		dropped = o.Alpha
		s.sampling.seed(o.Seed)
	}
	if b.unused {
		// Where an unused piece was merged last, in the whole text, says how it is cut.
		if s.splits == nil {
			s.splits = map[string][2]int{}
		}
		clear(s.splits)
		if err := b.merge(s, 0, len(s.text), dropped); err != nil {
			return err
		}
		return b.write(w, s)
	}
	for at := 0; at < len(s.text); {
		end := b.part(s.text, at)
		if err := b.encodePart(w, s, at, end, dropped); err != nil {
			return err
		}
		at = end
	}
	return nil
}

// encodePart appends the ids of a part. They are kept if they depend on nothing else: not on random
// numbers, nor on an unknown piece before it.
func (b *bpe) encodePart(w *writer, s *Scratch, at, end int, dropped float32) error {
	part := s.text[at:end]
	cached := dropped == 0 && len(part) <= wordcache.MaxWord
	if cached {
		var err error
		if w.ids, err = limits.Grow(&s.Limits, w.ids, len(w.ids)+wordcache.MaxIDs); err != nil {
			return err
		}
		var ok bool
		if w.ids, ok = b.parts.Append(w.ids, part); ok {
			w.unknown = false
			if s.meter.Spent(32) {
				return parallel.ErrStopped
			}
			return nil
		}
	}
	if err := b.merge(s, at, end, dropped); err != nil {
		return err
	}
	before := len(w.ids)
	w.sawUnknown = false
	if err := b.write(w, s); err != nil {
		return err
	}
	if cached && (!w.sawUnknown || b.model.byteFallback) {
		b.parts.Put(part, w.ids[before:])
	}
	return nil
}

// part returns the end of a part of the text from at on, which no merge crosses.
func (b *bpe) part(text []byte, at int) int {
	last, n := char(text[at:])
	for at += n; at < len(text); at += n {
		var next uint32
		next, n = char(text[at:])
		if bit := join(last, next); b.joins[bit/64]>>(bit%64)&1 == 0 {
			return at
		}
		last = next
	}
	return at
}

// merge merges the symbols of the text from lo to hi.
func (b *bpe) merge(s *Scratch, lo, hi int, dropped float32) error {
	text := s.text
	s.symbols, s.pairs = s.symbols[:0], s.pairs[:0]
	for at := lo; at < hi; {
		n, defined := b.model.symbolLen(text[at:hi])
		if len(s.symbols) == cap(s.symbols) {
			var err error
			if s.symbols, err = limits.Grow(&s.Limits, s.symbols, len(s.symbols)+1); err != nil {
				return err
			}
		}
		i := int32(len(s.symbols))
		s.symbols = append(s.symbols, symbol{int32(at), int32(at + n), i - 1, i + 1, defined})
		at += n
		if i > 0 {
			if err := b.offer(s, i-1, i); err != nil {
				return err
			}
		}
		if s.meter.Spent(32) {
			return parallel.ErrStopped
		}
	}
	s.symbols[len(s.symbols)-1].next = -1
	for len(s.pairs) > 0 {
		p := s.pop()
		left, right := &s.symbols[p.left()], &s.symbols[p.right]
		piece := b.model.pieces
		if s.meter.Spent(64) {
			return parallel.ErrStopped
		}
		if left.begin == left.end || right.begin == right.end || left.end-left.begin+right.end-right.begin != piece.Ends[p.id]-piece.Begins[p.id] {
			continue
		}
		if dropped > 0 && s.sampling.below(dropped) {
			continue
		}
		left.end, left.next = right.end, right.next
		if right.next >= 0 {
			s.symbols[right.next].previous = p.left()
		}
		right.begin = right.end
		if left.previous >= 0 {
			if err := b.offer(s, left.previous, p.left()); err != nil {
				return err
			}
		}
		if left.next >= 0 {
			if err := b.offer(s, p.left(), left.next); err != nil {
				return err
			}
		}
	}
	return nil
}

// offer adds the pair of two neighboring symbols, if their text is a piece.
func (b *bpe) offer(s *Scratch, left, right int32) error {
	l, r := &s.symbols[left], &s.symbols[right]
	if l.defined || r.defined || int(r.end-l.begin) > b.model.longest {
		return nil
	}
	text := s.text[l.begin:r.end]
	id, ok := b.model.normal.find(text)
	if !ok {
		return nil
	}
	if b.unused && b.model.types[id] == unused {
		s.splits[string(text)] = [2]int{int(l.begin), int(l.end)}
	}
	return s.push(pair{uint64(b.orders[id])<<32 | uint64(left), right, id})
}

// write appends the ids of the symbols that are left.
func (b *bpe) write(w *writer, s *Scratch) error {
	for i := int32(0); i >= 0; i = s.symbols[i].next {
		if err := b.resegment(w, s, int(s.symbols[i].begin), int(s.symbols[i].end)); err != nil {
			return err
		}
	}
	return nil
}

// resegment appends the id of a symbol, or, if its piece is not used, those of the two that it was
// merged of.
func (b *bpe) resegment(w *writer, s *Scratch, begin, end int) error {
	text := s.text[begin:end]
	id := b.model.id(text)
	if b.unused && b.model.types[id] == unused {
		if split, ok := s.splits[string(text)]; ok {
			middle := begin + split[1] - split[0]
			if err := b.resegment(w, s, begin, middle); err != nil {
				return err
			}
			return b.resegment(w, s, middle, end)
		}
	}
	return w.add(text, id)
}

// push adds p to the heap of pairs, of which the first has the least key.
func (s *Scratch) push(p pair) error {
	if len(s.pairs) == cap(s.pairs) {
		var err error
		if s.pairs, err = limits.Grow(&s.Limits, s.pairs, len(s.pairs)+1); err != nil {
			return err
		}
	}
	i := len(s.pairs)
	s.pairs = append(s.pairs, p)
	for i > 0 {
		parent := (i - 1) / 2
		if s.pairs[parent].key <= p.key {
			break
		}
		s.pairs[i], i = s.pairs[parent], parent
	}
	s.pairs[i] = p
	return nil
}

// pop removes the first pair of the heap.
func (s *Scratch) pop() pair {
	first, n := s.pairs[0], len(s.pairs)-1
	last := s.pairs[n]
	s.pairs = s.pairs[:n]
	for i := 0; n > 0; {
		child := 2*i + 1
		if child >= n {
			s.pairs[i] = last
			break
		}
		if child+1 < n && s.pairs[child+1].key < s.pairs[child].key {
			child++
		}
		if last.key <= s.pairs[child].key {
			s.pairs[i] = last
			break
		}
		s.pairs[i], i = s.pairs[child], child
	}
	return first
}
