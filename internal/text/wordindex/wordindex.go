// Package wordindex finds words in a vocabulary. An Index is a hash table over the bytes of the
// vocabulary itself: it copies none.
package wordindex

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
)

// Index finds the number of a word. It is immutable once all words were added.
type Index struct {
	words ragged.Strings
	seed  maphash.Seed // so that no file can choose words that share a slot
	slots []slot
	// Repeats reports whether a word is there several times.
	Repeats bool
}

// slot is a place in the table. Most words are found without a look at the vocabulary.
type slot struct {
	// key has 1 + the number of a word in the lower half, 0 if the slot is free, the length of the
	// word, at most maxLength, in the next byte, and a part of its hash above.
	key uint64
	// start has all bytes of a word of up to 8, and else the first 8.
	start uint64
}

const (
	number     = 1<<32 - 1
	maxLength  = 255
	startLen   = 8
	slotBytes  = 16
	lengthBits = 32
	tagMask    = ^uint64(number | maxLength<<lengthBits)
)

// keyOf returns the key of a slot for a word, without the number, its start and its hash.
func (x *Index) keyOf(word []byte) (key, start, hash uint64) {
	n := len(word)
	switch {
	case n >= startLen:
		start = binary.LittleEndian.Uint64(word)
	case n >= 4:
		start = uint64(binary.LittleEndian.Uint32(word)) | uint64(binary.LittleEndian.Uint32(word[n-4:]))<<32
	case n > 0:
		start = uint64(word[0]) | uint64(word[n/2])<<8 | uint64(word[n-1])<<16
	}
	hash = maphash.Bytes(x.seed, word)
	return hash&tagMask | uint64(min(n, maxLength))<<lengthBits, start, hash
}

// MaxBytes bounds the bytes of all words, which can overlap.
const MaxBytes = 1 << 28

// Bytes returns the memory of an Index of n words.
func Bytes(n int) int64 { return slotBytes * int64(slotsFor(n)) }

func slotsFor(n int) int { return 1 << bits.Len(uint(n+n/2+1)) }

// New returns an Index of words, whose ranges were checked. If a word is there several times, Find
// returns the number of the last one, or with keepFirst that of the first one.
func New(words ragged.Strings, keepFirst bool, stop parallel.Stop) (*Index, error) {
	x := &Index{words: words, seed: maphash.MakeSeed(), slots: make([]slot, slotsFor(words.Len()))}
	meter, total := stop.Meter(), 0
	for i := range words.Len() {
		word := words.At(i)
		if total += len(word); total > MaxBytes {
			return nil, faults.Errorf("the words have more than %d bytes", MaxBytes)
		}
		if meter.Spent(16 + len(word)/4) {
			return nil, parallel.ErrStopped
		}
		key, start, hash := x.keyOf(word)
		at, found := x.find(word, key, start, hash)
		if !found || !keepFirst {
			x.slots[at] = slot{key | uint64(i+1), start}
		}
		x.Repeats = x.Repeats || found
	}
	return x, nil
}

// find returns the slot of a word, or the free slot that it would have.
func (x *Index) find(word []byte, key, start, hash uint64) (at uint64, found bool) {
	mask := uint64(len(x.slots) - 1)
	for at = hash & mask; ; at = (at + 1) & mask {
		s := &x.slots[at]
		switch {
		case s.key == 0:
			return at, false
		case s.key&^number != key || s.start != start:
		case len(word) <= startLen || bytes.Equal(x.words.At(int(s.key&number)-1), word):
			return at, true
		}
	}
}

// Find returns the number of a word, and whether the vocabulary has it.
func (x *Index) Find(word []byte) (int, bool) {
	key, start, hash := x.keyOf(word)
	at, found := x.find(word, key, start, hash)
	return int(x.slots[at].key&number) - 1, found
}

// FindNear is Find for a word that is mostly the one with a number, or the one behind it.
func (x *Index) FindNear(word []byte, number int) (int, bool) {
	if !x.Repeats {
		for i := number; i < min(number+2, x.words.Len()); i++ {
			if bytes.Equal(x.words.At(i), word) {
				return i, true
			}
		}
	}
	return x.Find(word)
}

// block is the number of words that FindAll looks for at a time.
const block = 32

// FindAll sets the numbers of words, -1 for a word that the vocabulary does not have. It takes less
// time than Find for each of them: the processor waits for several slots at the same time.
func (x *Index) FindAll(words [][]byte, numbers []int32) {
	var queries [block]struct{ key, start, hash uint64 }
	for len(words) > 0 {
		n := min(len(words), block)
		for i, word := range words[:n] {
			q := &queries[i]
			q.key, q.start, q.hash = x.keyOf(word)
		}
		for i, word := range words[:n] {
			q := &queries[i]
			at, _ := x.find(word, q.key, q.start, q.hash)
			numbers[i] = int32(x.slots[at].key&number) - 1 // a free slot has 0
		}
		words, numbers = words[n:], numbers[n:]
	}
}
