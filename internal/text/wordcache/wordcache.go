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
	// of ids.
	MaxWord = 64
	MaxIDs  = 14
	// MaxBytes is the largest size of a Cache.
	MaxBytes = 4 << 20

	entryBytes = 128
	ways       = 2
)

// Cache keeps ids of words. The zero value keeps nothing.
type Cache struct {
	sets []set
	seed uint64 // so that no text can choose words that share a set
}

type set [ways]entry

// entry is a word and its ids. Each field is read and written by itself, and all of them are of one
// word if the header is the same before and after they were read. The first cache line is all that
// is read of a short word.
type entry struct {
	// header has the number of ids in the lowest byte, the length of the word in the next one, 0 if
	// the entry is free, a part of the hash in the next 16 bits, and in the upper half a number
	// that counts the changes, odd while the entry is written.
	header   atomic.Uint64
	fields   [keys0 + ids0]atomic.Uint64
	further  [keys1]atomic.Uint64
	furthest [ids1]atomic.Uint64
}

const (
	keys0, ids0 = 3, 4 // in the first cache line
	keys1, ids1 = 5, 3
)

// New returns a Cache of at most capacity words, and of at most MaxBytes.
func New(capacity int) *Cache {
	return &Cache{make([]set, min(max(capacity, 0), MaxBytes/entryBytes)/ways), rand.Uint64()}
}

// Bytes returns the memory of a Cache with the given capacity.
func Bytes(capacity int) int64 {
	return int64(min(max(capacity, 0), MaxBytes/entryBytes)/ways) * ways * entryBytes
}

// key is a word in pieces of 8 bytes. Words of the same length are equal if their pieces are.
type key struct {
	pieces [MaxWord / 8]uint64
	n      int // pieces
	set    uint64
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
	k.set, _ = bits.Mul64(hash, uint64(len(c.sets)))
	k.tag = hash<<16&0xffff0000 | uint64(n)<<8
}

// Append appends the ids of word to dst. ok is false if they are not in the cache.
func (c *Cache) Append(dst []int32, word []byte) (ids []int32, ok bool) {
	if len(c.sets) == 0 || len(word) == 0 || len(word) > MaxWord {
		return dst, false
	}
	var k key
	c.keyOf(&k, word)
	for way := range ways {
		e := &c.sets[k.set][way]
		header := e.header.Load()
		if header&tagMask != k.tag || header&changes != 0 || !e.has(&k) {
			continue
		}
		n := len(dst)
		dst = e.appendIDs(dst, int(header&0xff))
		if e.header.Load() == header {
			return dst, true
		}
		dst = dst[:n]
	}
	return dst, false
}

func (e *entry) has(k *key) bool {
	for i, piece := range k.pieces[:min(k.n, keys0)] {
		if e.fields[i].Load() != piece {
			return false
		}
	}
	if k.n > keys0 {
		for i, piece := range k.pieces[keys0:k.n] {
			if e.further[i].Load() != piece {
				return false
			}
		}
	}
	return true
}

func (e *entry) appendIDs(dst []int32, n int) []int32 {
	for i := 0; i < n; i += 2 {
		pair := e.pair(i / 2).Load()
		if dst = append(dst, int32(pair)); i+1 < n {
			dst = append(dst, int32(pair>>32))
		}
	}
	return dst
}

// pair returns the field of the ids 2i and 2i+1.
func (e *entry) pair(i int) *atomic.Uint64 {
	if i < ids0 {
		return &e.fields[keys0+i]
	}
	return &e.furthest[min(i-ids0, ids1-1)]
}

// Put keeps the ids of word, unless one of them is too long or another goroutine writes in the same
// place. It can replace another word.
func (c *Cache) Put(word []byte, ids []int32) {
	if len(c.sets) == 0 || len(word) == 0 || len(word) > MaxWord || len(ids) > MaxIDs {
		return
	}
	var k key
	c.keyOf(&k, word)
	s := &c.sets[k.set]
	e := &s[k.pieces[0]>>3&(ways-1)] // any of them
	for way := range s {
		if s[way].header.Load()&tagMask == 0 {
			e = &s[way]
			break
		}
	}
	header := e.header.Load()
	if header&changes != 0 || !e.header.CompareAndSwap(header, header+changes) {
		return
	}
	for i, piece := range k.pieces[:k.n] {
		if i < keys0 {
			e.fields[i].Store(piece)
		} else {
			e.further[i-keys0].Store(piece)
		}
	}
	for i := 0; i < len(ids); i += 2 {
		pair := uint64(uint32(ids[i]))
		if i+1 < len(ids) {
			pair |= uint64(uint32(ids[i+1])) << 32
		}
		e.pair(i / 2).Store(pair)
	}
	e.header.Store((header+2*changes)&^(changes-1) | k.tag | uint64(len(ids)))
}

// Clear forgets all words. Nothing else may use c meanwhile.
func (c *Cache) Clear() { clear(c.sets) }
