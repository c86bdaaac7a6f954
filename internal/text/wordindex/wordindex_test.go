package wordindex

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
)

func TestFind(t *testing.T) {
	var words ragged.Strings
	for _, word := range []string{"a", "", "bb", "a", "\xff\x00"} {
		words.Append([]byte(word))
	}
	for _, keepFirst := range []bool{false, true} {
		x, err := New(words, keepFirst, nil)
		require.NoError(t, err)
		assert.True(t, x.Repeats)
		for word, want := range map[string]int{"a": 3, "": 1, "bb": 2, "\xff\x00": 4} {
			if word == "a" && keepFirst {
				want = 0
			}
			i, ok := x.Find([]byte(word))
			assert.True(t, ok)
			assert.Equal(t, want, i)
		}
		_, ok := x.Find([]byte("b"))
		assert.False(t, ok)
	}
	x, err := New(ragged.Strings{}, false, nil)
	require.NoError(t, err)
	number, ok := x.Find(nil)
	assert.False(t, ok)
	assert.Equal(t, -1, number)
}

// TestFindNear compares with Find, for any number.
func TestFindNear(t *testing.T) {
	for _, last := range []string{"c", "a"} {
		var words ragged.Strings
		for _, word := range []string{"a", "b", last} {
			words.Append([]byte(word))
		}
		x, err := New(words, false, nil)
		require.NoError(t, err)
		for number := range 4 {
			for _, word := range []string{"a", "b", "c", "d", ""} {
				want, wantOK := x.Find([]byte(word))
				got, ok := x.FindNear([]byte(word), number)
				require.Equal(t, wantOK, ok)
				require.Equal(t, want, got)
			}
		}
	}
}

// TestFindAll compares with Find, for numbers of words around that of a block.
func TestFindAll(t *testing.T) {
	var words ragged.Strings
	for i := range 100 {
		words.Append(wordOf(2 * i))
	}
	x, err := New(words, false, nil)
	require.NoError(t, err)
	for _, n := range []int{0, 1, block - 1, block, block + 1, 3 * block} {
		asked, got := make([][]byte, n), make([]int32, n)
		for i := range asked {
			asked[i] = wordOf(i)
		}
		x.FindAll(asked, got)
		for i, word := range asked {
			want, _ := x.Find(word)
			require.Equal(t, int32(want), got[i], "%s", word)
		}
	}
}

// wordOf returns a word of any length, many of which have a long start in common.
func wordOf(i int) []byte {
	return fmt.Append(bytes.Repeat([]byte("w"), i%7*(i%41)), i/3)
}

// checkMap compares an Index of random words with a map.
func checkMap(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var words ragged.Strings
	want := map[string]int{}
	for i := range rng.IntN(3000) {
		word := wordOf(rng.IntN(4000))
		words.Append(word)
		want[string(word)] = i
	}
	x, err := New(words, false, nil)
	require.NoError(t, err)
	for i := range 4000 {
		word := wordOf(i)
		got, ok := x.Find(word)
		expected, has := want[string(word)]
		require.Equal(t, has, ok)
		if has {
			require.Equal(t, expected, got)
		}
	}
	require.Equal(t, len(want) < words.Len(), x.Repeats)
	require.Less(t, int64(words.Len()), Bytes(words.Len())/slotBytes, "a slot is free, at which Find ends")
}

func TestAgainstMap(t *testing.T) {
	for seed := range uint64(20) {
		checkMap(t, seed)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkMap)
}

func TestLimits(t *testing.T) {
	var words ragged.Strings
	words.Append(bytes.Repeat([]byte("a"), 1<<20))
	for range 300 { // they overlap
		words.Begins, words.Ends = append(words.Begins, 0), append(words.Ends, 1<<20)
	}
	_, err := New(words, false, nil)
	assert.EqualError(t, err, "the words have more than 268435456 bytes")
	done := make(chan struct{})
	close(done)
	_, err = New(words, false, done)
	assert.Equal(t, parallel.ErrStopped, err)
}

func BenchmarkNew(b *testing.B) {
	var words ragged.Strings
	for i := range 150000 {
		words.Append(fmt.Append(nil, i*7919))
	}
	b.SetBytes(int64(len(words.Chars)))
	for b.Loop() {
		_, err := New(words, false, nil)
		require.NoError(b, err)
	}
}
