// Package wordcache remembers the ids of words. A Cache has a fixed size, and readers neither wait
// for each other nor for writers.
package wordcache

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
)

const (
	// MaxWord is the length of the longest word that a Cache keeps, and MaxIDs the largest number
	// of ids. A long word leaves room for few ids.
	MaxWord = pieceBytes * (fields - 1)
	MaxIDs  = idsPerField * (fields - 1)
	// MaxBytes is the largest size of a Cache, and MaxCapacity that number of words. There are
	// twice as many entries as words, so that few words find their set full.
	MaxBytes    = 4 << 20
	MaxCapacity = MaxBytes / (2 * entryBytes)

	entryBytes  = 64 // a cache line
	fields      = entryBytes/8 - 1
	pieceBytes  = 8
	idsPerField = 2
	ways        = 4
	setBytes    = ways * entryBytes
)

// Cache keeps ids of words. The zero value keeps nothing.
type Cache struct {
	sets []set
	seed uint64 // so that no text can choose words that share a set
}

// set has the words of one hash.
type set [ways]entry

// entry is a word and its ids, in one cache line. Each field is read and written by itself, and all
// of them are of one word if the header is the same before and after they were read.
type entry struct {
	// header has the number of ids in the lowest byte, the length of the word in the next one, 0 if
	// the entry is free, a part of the hash in the next 16 bits, and in the upper half a number
	// that counts the changes, odd while the entry is written.
	header atomic.Uint64
	// fields has the pieces of the word, and then two ids each.
	fields [fields]atomic.Uint64
}

// New returns a Cache of about capacity words, and of at most MaxBytes.
func New(capacity int) *Cache {
	return &Cache{make([]set, setsFor(capacity)), rand.Uint64()}
}

// Bytes returns the memory of a Cache with the given capacity.
func Bytes(capacity int) int64 { return int64(setsFor(capacity)) * setBytes }

func setsFor(capacity int) int { return min(max(capacity, 0), MaxCapacity) * 2 / ways }

// key is a word in pieces of 8 bytes. Words of the same length are equal if their pieces are.
type key struct {
	pieces [MaxWord / pieceBytes]uint64
	n      int // pieces
	set    uint64
	way    uint64 // the entry of the set that is tried first
	tag    uint64 // what the header of the entry has above the number of ids, and below the changes
}

const (
	tagMask = 0xffffff00
	changes = 1 << 32
)

// keyOf returns the key of a word of 1 to MaxWord bytes.
func (c *Cache) keyOf(k *key, word []byte) {
	n := len(word)
	switch {
	case n >= 8:
		k.n = (n + 7) / 8
		for i := range k.n - 1 {
			k.pieces[i] = binary.LittleEndian.Uint64(word[8*i:])
		}
		k.pieces[k.n-1] = binary.LittleEndian.Uint64(word[n-8:]) // overlaps the one before
	case n >= 4:
		k.n, k.pieces[0] = 1, uint64(binary.LittleEndian.Uint32(word))|uint64(binary.LittleEndian.Uint32(word[n-4:]))<<32
	default:
		k.n, k.pieces[0] = 1, uint64(word[0])|uint64(word[n/2])<<8|uint64(word[n-1])<<16
	}
	hash := c.seed ^ uint64(n)
	for _, piece := range k.pieces[:k.n] {
		hi, lo := bits.Mul64(hash^piece, 0x9e3779b97f4a7c15)
		hash = hi ^ lo
	}
	k.set, k.way = bits.Mul64(hash, uint64(len(c.sets)))
	k.way >>= 62
	k.tag = hash<<16&0xffff0000 | uint64(n)<<8
}

// Append appends the ids of word to dst. ok is false if they are not in the cache.
func (c *Cache) Append(dst []int32, word []byte) (ids []int32, ok bool) {
	if len(c.sets) == 0 || len(word) == 0 || len(word) > MaxWord {
		return dst, false
	}
	var k key
	c.keyOf(&k, word)
	for i := range uint64(ways) {
		e := &c.sets[k.set][(k.way+i)%ways]
		header := e.header.Load()
		if header&tagMask != k.tag || header&changes != 0 || !e.has(&k) {
			continue
		}
		n := len(dst)
		dst = e.appendIDs(dst, k.n, int(header&0xff))
		if e.header.Load() == header {
			return dst, true
		}
		dst = dst[:n]
	}
	return dst, false
}

func (e *entry) has(k *key) bool {
	for i, piece := range k.pieces[:k.n] {
		if e.fields[i].Load() != piece {
			return false
		}
	}
	return true
}

// appendIDs appends n ids, which are behind the pieces.
func (e *entry) appendIDs(dst []int32, pieces, n int) []int32 {
	at := pieces
	for ; n > 1; n -= idsPerField {
		pair := e.fields[at%fields].Load()
		dst, at = append(dst, int32(pair), int32(pair>>32)), at+1
	}
	if n == 1 {
		dst = append(dst, int32(e.fields[at%fields].Load()))
	}
	return dst
}

// Put keeps the ids of word, unless both are too long or another goroutine writes in the same
// place. It can replace another word.
func (c *Cache) Put(word []byte, ids []int32) {
	if len(c.sets) == 0 || len(word) == 0 || len(word) > MaxWord || len(ids) > MaxIDs {
		return
	}
	var k key
	c.keyOf(&k, word)
	if k.n+(len(ids)+1)/idsPerField > fields {
		return
	}
	s := &c.sets[k.set]
	e := &s[k.way]
	for i := range uint64(ways) {
		if other := &s[(k.way+i)%ways]; other.header.Load()&tagMask == 0 {
			e = other
			break
		}
	}
	header := e.header.Load()
	if header&changes != 0 || !e.header.CompareAndSwap(header, header+changes) {
		return
	}
	n := len(ids)
	for i, piece := range k.pieces[:k.n] {
		e.fields[i].Store(piece)
	}
	for at := k.n; len(ids) > 0; at++ {
		pair := uint64(uint32(ids[0]))
		if ids = ids[1:]; len(ids) > 0 {
			pair |= uint64(uint32(ids[0])) << 32
			ids = ids[1:]
		}
		e.fields[at].Store(pair)
	}
	e.header.Store((header+2*changes)&^(changes-1) | k.tag | uint64(n))
}

// Clear forgets all words. Nothing else may use c meanwhile.
func (c *Cache) Clear() { clear(c.sets) }
