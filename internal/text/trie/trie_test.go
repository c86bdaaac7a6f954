package trie

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
)

func newTrie(t testing.TB, keys map[string]int32) *Trie {
	t.Helper()
	list := new(Keys)
	for text, value := range keys {
		list.Add([]byte(text), value)
	}
	trie, err := New(list, nil, nil)
	require.NoError(t, err)
	return trie
}

func TestLongest(t *testing.T) {
	trie := newTrie(t, map[string]int32{"a": 1, "abc": -2, "b": 3, "\x00": 4, "\x00\xff": 5, "xyz": 6, "": 7})
	for text, want := range map[string][2]int{
		"": {0, 0}, "a": {1, 1}, "ab": {1, 1}, "abcd": {-2, 3}, "b\x00": {3, 1}, "\x00": {4, 1},
		"\x00\xff\xff": {5, 2}, "xy": {0, 0}, "xyz": {6, 3}, "\xff": {0, 0},
	} {
		value, length := trie.Longest([]byte(text))
		assert.Equal(t, want, [2]int{int(value), length}, "%q", text)
	}
	assert.Equal(t, 3, trie.Depth())
	assert.Positive(t, trie.Bytes())
}

func TestEmpty(t *testing.T) {
	for _, trie := range []*Trie{new(Trie), newTrie(t, nil), newTrie(t, map[string]int32{"": 1})} {
		_, length := trie.Longest([]byte("a"))
		assert.Zero(t, length)
		_, _, _, _, ok := trie.Next(trie.Root(), 0)
		assert.False(t, ok)
	}
}

func TestRepeated(t *testing.T) {
	keys := new(Keys)
	for i, text := range []string{"ab", "a", "ab", "a\x00", "a\x00\x00\x00\x00\x00\x00\x00\x00\x00", "a\x00"} {
		keys.Add([]byte(text), int32(i+1))
	}
	trie, err := New(keys, nil, nil)
	require.NoError(t, err)
	value, length := trie.Longest([]byte("ab"))
	assert.Equal(t, [2]int{3, 2}, [2]int{int(value), length}, "the last of equal keys counts")
	for n, want := range []int{1: 2, 2: 6, 3: 6, 10: 5} {
		if want > 0 {
			value, _ = trie.Longest([]byte("a\x00\x00\x00\x00\x00\x00\x00\x00\x00")[:n])
			assert.Equal(t, want, int(value))
		}
	}
}

// checkNaive compares all matches of random texts with those of a map.
func checkNaive(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	letters := []string{"ab", "abcdefgh", "\x00\x01\xfe\xff", string(all())}[rng.IntN(4)]
	random := func(n int) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = letters[rng.IntN(len(letters))]
		}
		return string(text)
	}
	keys := map[string]int32{}
	for range rng.IntN([]int{4, 40, 2000}[rng.IntN(3)]) {
		keys[random(rng.IntN(1+rng.IntN(12)))] = int32(rng.Uint32())
	}
	trie := newTrie(t, keys)
	for range 50 {
		text := random(rng.IntN(15))
		value, length := trie.Longest([]byte(text))
		wantLength := 0
		node, more := trie.Root(), true
		for n := 1; n <= len(text); n++ {
			want, isKey := keys[text[:n]]
			if isKey {
				wantLength = n
			}
			if !more {
				require.False(t, isKey, "%q", text[:n])
				continue
			}
			next, got, found, longer, ok := trie.Next(node, text[n-1])
			require.Equal(t, isKey, found, "%q", text[:n])
			require.False(t, longer && !ok)
			if isKey {
				require.Equal(t, want, got)
			}
			node, more = next, longer
		}
		require.Equal(t, wantLength, length, "%q", text)
		if length > 0 {
			require.Equal(t, keys[text[:length]], value)
		}
	}
}

func all() []byte {
	letters := make([]byte, 256)
	for i := range letters {
		letters[i] = byte(i)
	}
	return letters
}

func TestAgainstNaive(t *testing.T) {
	for seed := range uint64(200) {
		checkNaive(t, seed)
	}
}

func FuzzTrie(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkNaive)
}

func numbers(n int) *Keys {
	keys := NewKeys(n)
	for i := range n {
		keys.Add(fmt.Append(nil, i), int32(i))
	}
	return keys
}

func TestLimits(t *testing.T) {
	full := errors.New("full")
	_, err := New(numbers(20000), func(int64) error { return full }, nil)
	assert.Equal(t, full, err)
	n := int64(0)
	_, err = New(numbers(20000), func(bytes int64) error {
		if n += bytes; n > 1<<17 {
			return full
		}
		return nil
	}, nil)
	assert.Equal(t, full, err)
	trie, err := New(numbers(20000), func(bytes int64) error { n += bytes; return nil }, nil)
	require.NoError(t, err)
	assert.Less(t, trie.Bytes(), n)
	assert.Less(t, trie.Bytes(), int64(4*8*22221))

	done := make(chan struct{})
	close(done)
	_, err = New(numbers(20000), nil, done)
	assert.Equal(t, parallel.ErrStopped, err)

	long, keys := bytes.Repeat([]byte("a"), 1<<20), new(Keys)
	keys.Add(long, 1)
	trie, err = New(keys, nil, nil)
	require.NoError(t, err)
	_, length := trie.Longest(long)
	assert.Equal(t, 1<<20, length)
	for range 300 {
		keys.Add(long, 1)
	}
	_, err = New(keys, nil, nil)
	assert.EqualError(t, err, "the keys have more than 268435456 bytes")
}

func randomKeys() *Keys {
	rng := rand.New(rand.NewPCG(1, 2))
	keys := NewKeys(100000)
	for i := range 100000 {
		keys.Add(fmt.Append(nil, rng.IntN(1<<40))[:3+rng.IntN(5)], int32(i))
	}
	return keys
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		keys := randomKeys()
		b.SetBytes(int64(keys.total))
		b.StartTimer()
		_, err := New(keys, nil, nil)
		require.NoError(b, err)
	}
}

func BenchmarkLongest(b *testing.B) {
	trie, err := New(randomKeys(), nil, nil)
	require.NoError(b, err)
	rng := rand.New(rand.NewPCG(3, 2))
	text := make([]byte, 0, 1<<20)
	for len(text) < 1<<20-32 {
		text = fmt.Append(text, rng.IntN(1<<40))
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for at := 0; at < len(text); {
			_, n := trie.Longest(text[at:])
			at += max(n, 1)
		}
	}
}
