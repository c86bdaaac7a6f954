package wordpiece

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/ragged"
)

func vocabulary(words ...string) *Vocabulary {
	v := &Vocabulary{SuffixIndicator: "##", Unknown: 99, MaxBytes: 100}
	for _, word := range words {
		v.Words.Append([]byte(word))
	}
	return v
}

func newTokenizer(t testing.TB, v *Vocabulary) *Tokenizer {
	t.Helper()
	tokenizer, err := New(v, nil, nil)
	require.NoError(t, err)
	return tokenizer
}

func idsOf(t testing.TB, tokenizer *Tokenizer, word string) []int32 {
	t.Helper()
	ids, err := tokenizer.Append([]int32{}, []byte(word), new(Scratch))
	require.NoError(t, err)
	return ids
}

func TestAppend(t *testing.T) {
	v := vocabulary("a", "ab", "##c", "##cd", "##", "#", "ab", "##e")
	tokenizer := newTokenizer(t, v)
	for word, want := range map[string][]int32{
		"a": {0}, "ab": {6}, "abc": {6, 2}, "abcdc": {6, 3, 2}, "abca": {99}, "c": {99}, "": {99}, "##c": {99}, "#e": {5, 7},
		"a" + strings.Repeat("c", 99): append([]int32{0}, bytes2ids(99, 2)...), "a" + strings.Repeat("c", 100): {99},
	} {
		assert.Equal(t, want, idsOf(t, tokenizer, word), "%q", word)
		assert.LessOrEqual(t, len(want), tokenizer.MaxTokens(len(word)))
	}
	for word, want := range map[string][]align.Span{
		"abcdc": {{Begin: 0, End: 2}, {Begin: 2, End: 4}, {Begin: 4, End: 5}}, "abca": {{Begin: 0, End: 4}}, "c": {{Begin: 0, End: 1}}, "ab": {{Begin: 0, End: 2}},
		strings.Repeat("a", 101): {{Begin: 0, End: 101}},
	} {
		s := &Scratch{Cover: &align.Cover{}}
		_, err := tokenizer.Append(nil, []byte(word), s)
		require.NoError(t, err)
		assert.Equal(t, want, s.Cover.Spans, "%q", word)
	}
	v.MaxBytes = -1
	assert.Equal(t, []int32{99}, idsOf(t, newTokenizer(t, v), ""))
	v.MaxBytes, v.SuffixIndicator = 100, ""
	assert.Equal(t, []int32{99}, idsOf(t, newTokenizer(t, v), "ab"), "all words follow others")
}

func bytes2ids(n int, id int32) []int32 {
	ids := make([]int32, n)
	for i := range ids {
		ids[i] = id
	}
	return ids
}

func TestLimits(t *testing.T) {
	var words ragged.Strings
	for i := range 20000 {
		words.Append(fmt.Append(nil, "##"[:2*(i%2)], i))
	}
	v := &Vocabulary{Words: words, SuffixIndicator: "##", MaxBytes: math.MaxInt64}
	done := make(chan struct{})
	close(done)
	_, err := New(v, nil, done)
	assert.Equal(t, parallel.ErrStopped, err)
	full, left := errors.New("full"), 0
	reserve := func(int64) error {
		if left--; left < 0 {
			return full
		}
		return nil
	}
	for ; err != nil; left++ {
		calls := left
		_, err = New(v, reserve, nil)
		if left = calls; err != nil && calls > 0 {
			assert.Equal(t, full, err)
		}
	}
	assert.Positive(t, left)
	s := new(Scratch)
	s.Stop = done
	_, err = newTokenizer(t, v).Append(nil, append([]byte("0"), bytes.Repeat([]byte("1"), 1<<20)...), s)
	assert.Equal(t, parallel.ErrStopped, err)
}

// checkNaive compares the ids of random words with those of a search in a map.
func checkNaive(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	random := func(n int) string {
		text := make([]byte, n)
		for i := range text {
			text[i] = "aab#\xff"[rng.IntN(5)]
		}
		return string(text)
	}
	v := vocabulary()
	v.SuffixIndicator = []string{"##", "#", "", "b"}[rng.IntN(4)]
	ids := map[string]int32{}
	for i := range rng.IntN(30) {
		word := random(rng.IntN(6))
		v.Words.Append([]byte(word))
		ids[word] = int32(i)
	}
	v.MaxBytes = int64(rng.IntN(20))
	tokenizer := newTokenizer(t, v)
	for range 20 {
		word := random(rng.IntN(20))
		want := []int32{}
		for at := 0; at < len(word) || at == 0; {
			prefix, n := "", len(word)-at
			if at > 0 {
				prefix = v.SuffixIndicator
			}
			for ; n > 0; n-- {
				piece := prefix + word[at:at+n]
				if id, ok := ids[piece]; ok && (at > 0 || !strings.HasPrefix(piece, v.SuffixIndicator)) {
					want = append(want, id)
					break
				}
			}
			if n <= 0 {
				want = []int32{v.Unknown}
				break
			}
			at += n
		}
		if int64(len(word)) > v.MaxBytes {
			want = []int32{v.Unknown}
		}
		require.Equal(t, want, idsOf(t, tokenizer, word), "%q in %q", word, ids)
	}
}

func TestAgainstNaive(t *testing.T) {
	for seed := range uint64(500) {
		checkNaive(t, seed)
	}
}

func FuzzAppend(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkNaive)
}

// bert returns the vocabulary of BERT.
func bert(t testing.TB) *Vocabulary {
	t.Helper()
	l := texttest.LayerOf(t, "bert_minilm", "WordpieceTokenizer")
	unknown, err := l.Constants[8].Ints()
	require.NoError(t, err)
	v := &Vocabulary{SuffixIndicator: "##", Unknown: int32(unknown[0]), MaxBytes: 100}
	v.Words.Begins, v.Words.Ends, v.Words.Chars = l.Strings(5)
	require.NoError(t, v.Words.Check("words"))
	for _, a := range l.Data {
		if a.Name == "max_bytes_per_word" {
			n, err := strconv.ParseInt(a.Value, 10, 64)
			require.NoError(t, err)
			v.MaxBytes = n
		}
	}
	return v
}

// TestCorpus joins the pieces of words again.
func TestCorpus(t *testing.T) {
	v := bert(t)
	tokenizer := newTokenizer(t, v)
	known := 0
	for _, word := range texttest.Words(bytes.ToLower(texttest.Document(t))) {
		if word = bytes.TrimSpace(word); len(word) == 0 {
			continue
		}
		ids := idsOf(t, tokenizer, string(word))
		if ids[0] == v.Unknown {
			require.Len(t, ids, 1)
			continue
		}
		known++
		joined := []byte(nil)
		for i, id := range ids {
			piece := v.Words.At(int(id))
			if i > 0 {
				piece = piece[2:]
			}
			joined = append(joined, piece...)
		}
		require.Equal(t, string(word), string(joined))
	}
	require.Greater(t, known, 50000)
}

func BenchmarkNew(b *testing.B) {
	v := bert(b)
	b.ReportAllocs()
	for b.Loop() {
		newTokenizer(b, v)
	}
	tokenizer := newTokenizer(b, v)
	b.ReportMetric(float64(tokenizer.starts.Bytes()+tokenizer.suffixes.Bytes()), "bytes")
}

func BenchmarkAppend(b *testing.B) {
	tokenizer := newTokenizer(b, bert(b))
	var words [][]byte
	total := 0
	for _, word := range texttest.Words(bytes.ToLower(texttest.Document(b))) {
		if word = bytes.TrimSpace(word); len(word) > 0 {
			words = append(words, word)
			total += len(word)
		}
	}
	s, dst := new(Scratch), []int32{}
	b.SetBytes(int64(total))
	for b.Loop() {
		dst = dst[:0]
		for _, word := range words {
			dst, _ = tokenizer.Append(dst, word, s)
		}
	}
}
