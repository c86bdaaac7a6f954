package bpe

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/ragged"
)

func stringsOf(words ...string) (s ragged.Strings) {
	for _, word := range words {
		s.Append([]byte(word))
	}
	return s
}

func newTokenizer(t testing.TB, v *Vocabulary) *Tokenizer {
	t.Helper()
	tokenizer, err := New(v, nil, nil)
	require.NoError(t, err)
	return tokenizer
}

func tokensOf(t testing.TB, tokenizer *Tokenizer, word string) []int32 {
	t.Helper()
	ids, err := tokenizer.Append([]int32{}, []byte(word), new(Scratch))
	require.NoError(t, err)
	return ids
}

func TestAppend(t *testing.T) {
	words := stringsOf("a", "b", "c", "ab", "bc", "abc", "<unk>", "<0x78>", "ca")
	pairs := stringsOf("a b", "b c", "ab c")
	v := &Vocabulary{Words: words, Left: pairs, Pairs: true, Unknown: "<unk>", CacheCapacity: 8}
	tokenizer := newTokenizer(t, v)
	for range 2 {
		assert.Equal(t, []int32{5}, tokensOf(t, tokenizer, "abc"))
		assert.Equal(t, []int32{3, 8, 4}, tokensOf(t, tokenizer, "abcabc"), "ca is the longest start of cabc")
		assert.Equal(t, []int32{8, 3}, tokensOf(t, tokenizer, "caab"), "no merge makes ca")
		assert.Equal(t, []int32{0, 6, 6, 1}, tokensOf(t, tokenizer, "axxb"), "each unknown byte has an id")
		assert.Equal(t, []int32{0, 7, 1}, tokensOf(t, tokenizer, "a<0x78>b"))
		assert.Empty(t, tokensOf(t, tokenizer, ""))
	}
	v.ByteFallback = true
	assert.Equal(t, []int32{0, 7, 6, 1}, tokensOf(t, newTokenizer(t, v), "axyb"))
	v.Unknown = "none"
	assert.Equal(t, []int32{0, 7, 1}, tokensOf(t, newTokenizer(t, v), "axyb"))
	v.ByteFallback = false
	assert.Equal(t, []int32{3}, tokensOf(t, newTokenizer(t, v), "axxxb"), "bytes without an id are left out")
	v.EndSuffix = "c"
	assert.Equal(t, []int32{5}, tokensOf(t, newTokenizer(t, v), "ab"))
	assert.Equal(t, []int32{2}, tokensOf(t, newTokenizer(t, v), ""))
}

func TestAdded(t *testing.T) {
	v := &Vocabulary{
		Words: stringsOf("a", "b", "ab", "a"), Left: stringsOf("a"), Right: stringsOf("b"),
		Added: stringsOf("ab", "<s>", "<s>", "<", "none"), AddedIDs: []int32{70, 71, 72, -73, -1},
	}
	tokenizer := newTokenizer(t, v)
	assert.Equal(t, []int32{2, 3}, tokensOf(t, tokenizer, "aba"), "the last of equal words, words before added ones")
	assert.Equal(t, []int32{71, -73}, tokensOf(t, tokenizer, "<s><"), "the first of equal added words")
	assert.Empty(t, tokensOf(t, tokenizer, "none"), "-1 is no id")
}

func TestNew_errors(t *testing.T) {
	words := stringsOf("a", "b", "ab")
	for want, v := range map[string]*Vocabulary{
		`merge 1: "x" is not in the vocabulary`:                               {Words: words, Left: stringsOf("a", "x"), Right: stringsOf("b", "b")},
		`merge 0: "y" is not in the vocabulary`:                               {Words: words, Left: stringsOf("a y"), Pairs: true},
		`merge 0: "ba" is not in the vocabulary`:                              {Words: words, Left: stringsOf("b"), Right: stringsOf("a")},
		`merge 0: "aa" is not in the vocabulary`:                              {Words: words, Left: stringsOf("a"), Pairs: true},
		"1 left parts and 2 right parts of merges":                            {Words: words, Left: stringsOf("a"), Right: stringsOf("a", "b")},
		"1 added tokens and 0 ids of added tokens":                            {Words: words, Added: stringsOf("a")},
		`merge 0: "` + strings.Repeat("z", 80) + `" is not in the vocabulary`: {Words: words, Left: stringsOf(strings.Repeat("z", 200)), Right: stringsOf("a")},
	} {
		_, err := New(v, nil, nil)
		require.EqualError(t, err, want)
	}
	full := errors.New("full")
	_, err := New(&Vocabulary{Words: words}, func(int64) error { return full }, nil)
	require.Equal(t, full, err)
}

func TestStop(t *testing.T) {
	done := make(chan struct{})
	close(done)
	words, merges := ragged.Strings{}, ragged.Strings{}
	for i := range 20000 {
		words.Append(fmt.Append(nil, i))
	}
	_, err := New(&Vocabulary{Words: words, Left: merges, Right: merges}, nil, done)
	require.Equal(t, parallel.ErrStopped, err)

	tokenizer := newTokenizer(t, &Vocabulary{Words: stringsOf("a", "aa"), Left: stringsOf("a"), Right: stringsOf("a")})
	s := new(Scratch)
	s.Stop = done
	_, err = tokenizer.Append(nil, bytes.Repeat([]byte("a"), 1<<16), s)
	require.Equal(t, parallel.ErrStopped, err)
	s.Stop = nil
	ids, err := tokenizer.Append(nil, bytes.Repeat([]byte("a"), 1001), s)
	require.NoError(t, err)
	require.Len(t, ids, 501)
}

// TestReserve checks that the memory for a long word is asked for, and that a refusal leaves the
// scratch memory usable.
func TestReserve(t *testing.T) {
	tokenizer := newTokenizer(t, &Vocabulary{Words: stringsOf("a", "aa"), Left: stringsOf("a"), Right: stringsOf("a"), EndSuffix: "a"})
	full := errors.New("full")
	for calls := range 9 {
		asked, n := int64(0), calls
		s := &Scratch{}
		s.Reserve = func(bytes int64) error {
			if n--; n < 0 {
				return full
			}
			asked += bytes
			return nil
		}
		word := bytes.Repeat([]byte("a"), 99)
		ids, err := tokenizer.Append(nil, word, s)
		if err == nil {
			require.Greater(t, asked, int64(100*28))
			require.Greater(t, calls, 3)
			return
		}
		require.Equal(t, full, err)
		require.Empty(t, ids)
		s.Reserve = nil
		ids, err = tokenizer.Append(nil, word, s)
		require.NoError(t, err)
		require.Len(t, ids, 50)
	}
	t.Fatal("all calls were refused")
}

// randomVocabulary returns a vocabulary of few letters with many merges, some of which can never
// apply, words that no merge makes, equal words, and empty ones.
func randomVocabulary(rng *rand.Rand) *Vocabulary {
	v := &Vocabulary{Pairs: rng.IntN(2) == 0, ByteFallback: rng.IntN(2) == 0, CacheCapacity: rng.IntN(20)}
	letters := "abcde"[:1+rng.IntN(5)]
	var all []string
	for _, letter := range letters {
		all = append(all, string(letter))
	}
	if rng.IntN(4) == 0 {
		all = append(all, "")
	}
	var merges [][2]string
	for range rng.IntN(40) {
		pair := [2]string{all[rng.IntN(len(all))], all[rng.IntN(len(all))]}
		if len(pair[0]+pair[1]) < 12 {
			all, merges = append(all, pair[0]+pair[1]), append(merges, pair)
		}
	}
	for range rng.IntN(4) {
		word := ""
		for range 1 + rng.IntN(4) {
			word += string(letters[rng.IntN(len(letters))])
		}
		all = append(all, word, []string{"<0x78>", "<unk>", "<0x61>"}[rng.IntN(3)])
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	rng.Shuffle(len(merges), func(i, j int) { merges[i], merges[j] = merges[j], merges[i] })
	// Some words are added ones, which may share an id.
	shared := rng.IntN(4) == 0
	for i, word := range all {
		if rng.IntN(6) > 0 {
			v.Words.Append([]byte(word))
			continue
		}
		v.Added.Append([]byte(word))
		id := int32(100 + i)
		if shared {
			id = int32(rng.IntN(12)) - 1
		}
		v.AddedIDs = append(v.AddedIDs, id)
	}
	for _, merge := range merges {
		if v.Pairs {
			v.Left.Append([]byte(merge[0] + " " + merge[1]))
			continue
		}
		v.Left.Append([]byte(merge[0]))
		v.Right.Append([]byte(merge[1]))
	}
	v.Unknown = []string{"", "<unk>", "x"}[rng.IntN(3)]
	v.EndSuffix = []string{"", "", "a", "</w>"}[rng.IntN(4)]
	return v
}

func randomWord(rng *rand.Rand, n int) string {
	word := make([]byte, n)
	letters := "aaabbcdex"[:1+rng.IntN(9)]
	for i := range word {
		word[i] = letters[rng.IntN(len(letters))]
	}
	return string(word)
}

// checkNaive compares the tokens of words, in both ways of merging, with those of naive.
func checkNaive(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := randomVocabulary(rng)
	want, wantErr := newNaive(v)
	tokenizer, err := New(v, nil, nil)
	require.Equal(t, wantErr == nil, err == nil, "%v", err)
	if err != nil {
		return
	}
	s := new(Scratch)
	for range 8 {
		word := randomWord(rng, rng.IntN(90))
		expected := want.tokens(word)
		for range 2 { // the second time, they can be in the cache
			got, err := tokenizer.Append([]int32{}, []byte(word), s)
			require.NoError(t, err)
			require.Equal(t, expected, got, "%q of %+v", word, v)
			require.LessOrEqual(t, len(got), tokenizer.MaxTokens(len(word)))
		}
		covering := &Scratch{Cover: &align.Cover{}}
		got, err := tokenizer.Append([]int32{}, []byte(word), covering)
		require.NoError(t, err)
		require.Equal(t, expected, got)
		checkCover(t, covering.Cover, len(got), word)
		if len(s.ids) > 0 && len(s.ids) <= maxShort {
			ids := append([]int32{}, s.ids...)
			short := tokenizer.mergeShort(append([]int32{}, ids...))
			long, err := tokenizer.mergeLong(ids, s)
			require.NoError(t, err)
			require.Equal(t, short, long)
		}
	}
}

// checkCover checks that n tokens are parts of a word, one behind the other.
func checkCover(t *testing.T, cover *align.Cover, n int, word string) {
	t.Helper()
	require.Len(t, cover.Spans, n)
	at := int32(0)
	for _, span := range cover.Spans {
		require.True(t, at <= span.Begin && span.Begin <= span.End && int(span.End) <= len(word), "%v of %q", cover.Spans, word)
		at = span.End
	}
}

func TestAppend_cover(t *testing.T) {
	tokenizer := newTokenizer(t, &Vocabulary{
		Words: stringsOf("a", "b", "c", "ab", "abc", "</w>", "<0x64>"), Left: stringsOf("a", "ab"), Right: stringsOf("b", "c"), ByteFallback: true, EndSuffix: "</w>",
	})
	for word, want := range map[string][]align.Span{
		"abcd":  {{Begin: 0, End: 3}, {Begin: 3, End: 4}, {Begin: 4, End: 4}},
		"aeab":  {{Begin: 0, End: 1}, {Begin: 2, End: 4}, {Begin: 4, End: 4}},
		"":      {{Begin: 0, End: 0}},
		"aebec": {{Begin: 0, End: 5}, {Begin: 5, End: 5}},
	} {
		s := &Scratch{Cover: &align.Cover{}}
		_, err := tokenizer.Append(nil, []byte(word), s)
		require.NoError(t, err)
		require.Equal(t, want, s.Cover.Spans, "%q", word)
	}
}

// TestMerges gives merges as indices of words.
func TestMerges(t *testing.T) {
	compared := 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		v := randomVocabulary(rng)
		tokenizer, err := New(v, nil, nil)
		if err != nil || v.Added.Len() > 0 {
			continue
		}
		index := map[string]int32{}
		for i := range v.Words.Len() {
			index[string(v.Words.At(i))] = int32(i)
		}
		other := *v
		other.Left, other.Right, other.Pairs = ragged.Strings{}, ragged.Strings{}, false
		other.Merges = [][3]int32{}
		for i := range v.Left.Len() {
			left, right := v.parts(i)
			other.Merges = append(other.Merges, [3]int32{index[string(left)], index[string(right)], index[string(left)+string(right)]})
		}
		same := newTokenizer(t, &other)
		for range 8 {
			word := randomWord(rng, rng.IntN(90))
			require.Equal(t, tokensOf(t, tokenizer, word), tokensOf(t, same, word), "%q of %+v", word, v)
			compared++
		}
	}
	require.Positive(t, compared)
}

func TestAgainstNaive(t *testing.T) {
	for seed := range uint64(300) {
		checkNaive(t, seed)
	}
}

func FuzzAppend(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkNaive)
}

// TestLong has words that no cut shortens: each merge of a word applies again to its result.
func TestLong(t *testing.T) {
	var words, left, right ragged.Strings
	for n := 1; n <= 1<<12; n *= 2 {
		words.Append(bytes.Repeat([]byte("a"), n))
		if n > 1 {
			left.Append(bytes.Repeat([]byte("a"), n/2))
			right.Append(bytes.Repeat([]byte("a"), n/2))
		}
	}
	tokenizer := newTokenizer(t, &Vocabulary{Words: words, Left: left, Right: right})
	ids := tokensOf(t, tokenizer, strings.Repeat("a", 1<<20+5))
	require.Len(t, ids, 1<<8+2)
	assert.Equal(t, []int32{12, 12, 2, 0}, ids[1<<8-2:])
}

// TestDeep has a long symbol that almost matches at each position.
func TestDeep(t *testing.T) {
	long := strings.Repeat("a", 300) + "b"
	v := &Vocabulary{Words: stringsOf("a", "aa", long, "b"), Left: stringsOf("a"), Right: stringsOf("a")}
	want, err := newNaive(v)
	require.NoError(t, err)
	word := strings.Repeat("a", 299) + "b" + strings.Repeat("a", 310) + "b"
	got := tokensOf(t, newTokenizer(t, v), word)
	require.Equal(t, want.tokens(word), got)
	assert.Equal(t, int32(2), got[len(got)-1])
}

// TestGoroutines cuts words on several goroutines, with a cache that is too small.
func TestGoroutines(t *testing.T) {
	v := randomVocabulary(rand.New(rand.NewPCG(3, 3)))
	v.CacheCapacity = 4
	tokenizer, err := New(v, nil, nil)
	require.NoError(t, err)
	want, err := newNaive(v)
	require.NoError(t, err)
	var group sync.WaitGroup
	for seed := range uint64(4) {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 4))
			s := new(Scratch)
			for range 500 {
				word := randomWord(rng, rng.IntN(6))
				got, err := tokenizer.Append([]int32{}, []byte(word), s)
				assert.NoError(t, err)
				assert.Equal(t, want.tokens(word), got)
			}
		})
	}
	group.Wait()
}

func TestAllocations(t *testing.T) {
	v := randomVocabulary(rand.New(rand.NewPCG(3, 3)))
	tokenizer, err := New(v, nil, nil)
	require.NoError(t, err)
	s, dst, word := new(Scratch), make([]int32, 0, 1000), []byte(randomWord(rand.New(rand.NewPCG(1, 1)), 500))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		dst, err = tokenizer.Append(dst[:0], word, s)
	}))
	require.NoError(t, err)
}
