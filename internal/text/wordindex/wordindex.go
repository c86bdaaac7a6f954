// Package wordindex finds words in a vocabulary. An Index is a hash table over the bytes of the
// vocabulary itself: it copies none.
package wordindex

import (
	"bytes"
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
	// slots has 1 + the number of a word in the lower half, and a part of its hash in the upper
	// half. 0 is free.
	slots []uint64
	// Repeats reports whether a word is there several times.
	Repeats bool
}

// MaxBytes bounds the bytes of all words, which can overlap.
const MaxBytes = 1 << 28

// Bytes returns the memory of an Index of n words.
func Bytes(n int) int64 { return 8 * int64(slotsFor(n)) }

func slotsFor(n int) int { return 1 << bits.Len(uint(n+n/2+1)) }

// New returns an Index of words, whose ranges were checked. If a word is there several times, Find
// returns the number of the last one, or with keepFirst that of the first one.
func New(words ragged.Strings, keepFirst bool, stop parallel.Stop) (*Index, error) {
	x := &Index{words: words, seed: maphash.MakeSeed(), slots: make([]uint64, slotsFor(words.Len()))}
	meter, total := stop.Meter(), 0
	for i := range words.Len() {
		word := words.At(i)
		if total += len(word); total > MaxBytes {
			return nil, faults.Errorf("the words have more than %d bytes", MaxBytes)
		}
		if meter.Spent(16 + len(word)/4) {
			return nil, parallel.ErrStopped
		}
		slot, found := x.find(word)
		if !found || !keepFirst {
			*slot = *slot&^number | uint64(i+1)
		}
		x.Repeats = x.Repeats || found
	}
	return x, nil
}

const number = 1<<32 - 1

// find returns the slot of a word, or the free slot that it would have, with the hash of the word.
func (x *Index) find(word []byte) (slot *uint64, found bool) {
	hash := maphash.Bytes(x.seed, word)
	tag, mask := hash&^number, uint64(len(x.slots)-1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := &x.slots[at]
		switch {
		case *slot == 0:
			*slot = tag
			return slot, false
		case *slot&^number == tag && bytes.Equal(x.words.At(int(*slot&number)-1), word):
			return slot, true
		}
	}
}

// Find returns the number of a word, and whether the vocabulary has it.
func (x *Index) Find(word []byte) (int, bool) {
	hash := maphash.Bytes(x.seed, word)
	tag, mask := hash&^number, uint64(len(x.slots)-1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := x.slots[at]
		switch {
		case slot == 0:
			return 0, false
		case slot&^number == tag && bytes.Equal(x.words.At(int(slot&number)-1), word):
			return int(slot&number) - 1, true
		}
	}
}
