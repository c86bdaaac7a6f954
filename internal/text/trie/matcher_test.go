package trie

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/limits"
)

// checkMatcher compares a Matcher of random keys, some of which are long, with Longest.
func checkMatcher(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	letters := []string{"a", "ab", "abcd", "\x00\xff"}[rng.IntN(4)]
	random := func(n int) []byte {
		text := make([]byte, n)
		for i := range text {
			text[i] = letters[rng.IntN(len(letters))]
		}
		return text
	}
	long := random(2 * shallow)
	keys := new(Keys)
	for i := range 2 + rng.IntN(30) {
		key := random(rng.IntN(6))
		if i%5 == 0 {
			from := rng.IntN(len(long) / 2)
			key = append(bytes.Clone(long[from:from+rng.IntN(len(long)/2+100)%(len(long)-from)]), 'a')
		}
		keys.Add(key, rng.Int32())
	}
	keys.Add(long, 5)
	m, err := NewMatcher(keys, nil, nil)
	require.NoError(t, err)
	require.NotNil(t, m.backward)
	var x Matches
	for _, n := range []int{0, 1, shallow, shallow + 1, 3000} {
		text := random(n)
		if n > 1000 {
			copy(text[rng.IntN(2000):], long)
		}
		require.NoError(t, m.Match(&x, text, new(limits.Limits)))
		for at := range text {
			value, length := m.LongestAt(&x, text, at)
			wantValue, wantLength := m.Longest(text[at:])
			require.Equal(t, wantLength, length, "%q at %d", text, at)
			require.Equal(t, wantValue, value)
		}
	}
}

// checkEnds compares all keys that end at each position of a text with a search.
func checkEnds(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	random := func(n int) []byte {
		text := make([]byte, n)
		for i := range text {
			text[i] = "aab"[rng.IntN(3)]
		}
		return text
	}
	keys, values := new(Keys), map[string]int32{}
	for i := range 1 + rng.IntN(30) {
		key := random(1 + rng.IntN(8))
		keys.Add(key, int32(i))
		values[string(key)] = int32(i)
	}
	_, err := New(keys, nil, nil)
	require.NoError(t, err)
	ends, err := NewEnds(keys, nil, nil)
	require.NoError(t, err)
	text, state, key := random(200), int32(0), int32(0)
	for end := 1; end <= len(text); end++ {
		state, key = ends.Next(state, text[end-1])
		for begin := range end {
			want, ok := values[string(text[begin:end])]
			if !ok {
				continue
			}
			require.GreaterOrEqual(t, key, int32(0))
			value, length, shorter := ends.Key(key)
			require.Equal(t, want, value)
			require.Equal(t, end-begin, length)
			key = shorter
		}
		require.Equal(t, int32(-1), key)
	}
}

func TestEnds(t *testing.T) {
	for seed := range uint64(50) {
		checkEnds(t, seed)
	}
}

func FuzzEnds(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkEnds)
}

func TestMatcher(t *testing.T) {
	for seed := range uint64(30) {
		checkMatcher(t, seed)
	}
	m, err := NewMatcher(numbers(10), nil, nil)
	require.NoError(t, err)
	assert.Nil(t, m.backward, "the keys are short")
}

func FuzzMatcher(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkMatcher)
}

// deep returns keys that almost match at each position of a text of one letter.
func deep() *Keys {
	keys := new(Keys)
	keys.Add(append(bytes.Repeat([]byte("a"), 1<<14), 'b'), 1)
	keys.Add([]byte("a"), 2)
	return keys
}

func TestMatcher_limits(t *testing.T) {
	full, done := errors.New("full"), make(chan struct{})
	close(done)
	m, err := NewMatcher(deep(), nil, nil)
	require.NoError(t, err)
	text := bytes.Repeat([]byte("a"), 1<<17)
	var x Matches
	assert.Equal(t, full, m.Match(&x, text, &limits.Limits{Reserve: func(int64) error { return full }}))
	assert.Equal(t, parallel.ErrStopped, m.Match(&x, text, &limits.Limits{Stop: done}))
	require.NoError(t, m.Match(&x, text, new(limits.Limits)))
	for at := range text { // walking along the keys would take minutes
		_, length := m.LongestAt(&x, text, at)
		if length != 1 {
			t.Fatal(at, length)
		}
	}

	asked, refused := 0, 0
	for limit := 0; ; limit++ {
		asked = 0
		_, err := NewMatcher(deep(), func(int64) error {
			if asked++; asked > limit {
				return full
			}
			return nil
		}, nil)
		if err == nil {
			break
		}
		require.Equal(t, full, err)
		refused++
	}
	assert.Greater(t, refused, 3)
	stopping := make(chan struct{})
	_, err = NewMatcher(deep(), func(bytes int64) error {
		if asked--; asked == 0 {
			close(stopping)
		}
		return nil
	}, stopping)
	assert.Equal(t, parallel.ErrStopped, err)
}
