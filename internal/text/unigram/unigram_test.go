package unigram

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/ir"
)

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

func vocabulary(unknown int32, pieces ...string) *Vocabulary {
	v := &Vocabulary{Unknown: unknown, Scores: make([]float32, len(pieces))}
	for _, piece := range pieces {
		v.Pieces.Append([]byte(piece))
	}
	return v
}

func TestAppend(t *testing.T) {
	v := vocabulary(0, "<unk>", "a", "b", "ab", "abc", "é", "bc", "a")
	v.Scores = []float32{0, -1, -2, -2.5, -9, -1, -3, -1}
	tokenizer := newTokenizer(t, v)
	for range 2 { // with an empty cache, and with a warm one
		for word, want := range map[string][]int32{
			"": {}, "a": {1}, "ab": {3}, "abc": {1, 6}, "aab": {1, 3}, "é": {5}, "xyz": {0}, "xax": {0, 1, 0}, "\xc3": {0}, "漢字a": {0, 1},
			"<unk>": {0}, "x<unk>": {0}, "c": {0}, "\x00a": {0, 1},
		} {
			assert.Equal(t, want, idsOf(t, tokenizer, word), "%q", word)
			assert.LessOrEqual(t, len(want), tokenizer.MaxTokens(len(word)))
		}
	}
	for word, want := range map[string][]align.Span{
		"aab": {{Begin: 0, End: 1}, {Begin: 1, End: 3}}, "x漢字a": {{Begin: 0, End: 7}, {Begin: 7, End: 8}}, "": nil,
	} {
		s := &Scratch{Cover: &align.Cover{}}
		_, err := tokenizer.Append(nil, []byte(word), s)
		require.NoError(t, err)
		assert.Equal(t, want, s.Cover.Spans, "%q", word)
	}
	v.Unknown = -1
	_, err := newTokenizer(t, v).Append(nil, []byte("ax"), &Scratch{Cover: &align.Cover{}})
	require.NoError(t, err)
	assert.Equal(t, []int32{-1, 1}, idsOf(t, newTokenizer(t, v), "xa"))
	assert.Equal(t, []int32{1}, idsOf(t, newTokenizer(t, v), "ax"), "-1 is left out at the end, as in OpenVINO")

	tie := vocabulary(0, "<unk>", "a", "aa", "aaa")
	tie.Scores = []float32{-9, -1, -2, -3}
	assert.Equal(t, []int32{3}, idsOf(t, newTokenizer(t, tie), "aaa"), "the way from the first character was found first")

	cut := vocabulary(0, "<unk>", "ab\x00cd", "ab", "b\x00", "ab")
	assert.Equal(t, []int32{2}, idsOf(t, newTokenizer(t, cut), "ab"))
	assert.Equal(t, []int32{3}, idsOf(t, newTokenizer(t, cut), "b"))
}

func TestNew_errors(t *testing.T) {
	v := vocabulary(0, "a", "", "b")
	_, err := New(v, nil, nil)
	assert.EqualError(t, err, "piece 1 is empty")
	v.Scores = v.Scores[:2]
	_, err = New(v, nil, nil)
	assert.EqualError(t, err, "3 pieces and 2 scores")
	full := errors.New("full")
	_, err = New(vocabulary(0, "a"), func(int64) error { return full }, nil)
	assert.Equal(t, full, err)
}

func TestLimits(t *testing.T) {
	v := &Vocabulary{Scores: make([]float32, 20000)}
	for i := range v.Scores {
		v.Pieces.Append(fmt.Append(nil, i))
	}
	done := make(chan struct{})
	close(done)
	_, err := New(v, nil, done)
	assert.Equal(t, parallel.ErrStopped, err)
	tokenizer := newTokenizer(t, v)
	for _, letter := range []string{"1", "x"} {
		s := new(Scratch)
		s.Stop = done
		_, err = tokenizer.Append(nil, bytes.Repeat([]byte(letter), 1<<20), s)
		assert.Equal(t, parallel.ErrStopped, err)
	}
	s, full := new(Scratch), errors.New("full")
	s.Reserve = func(bytes int64) error {
		assert.GreaterOrEqual(t, bytes, int64(12*1001))
		return full
	}
	_, err = tokenizer.Append(nil, bytes.Repeat([]byte("1"), 1000), s)
	assert.Equal(t, full, err)
}

// naive returns the ids of a word: it tries the pieces that start at each character, the shortest
// first, in float32.
func naive(v *Vocabulary, word string) []int32 {
	type way struct {
		score float32
		from  int
		id    int32
		ok    bool
	}
	ways, lowest := make([]way, len(word)+1), float32(math.MaxFloat32)
	for _, score := range v.Scores {
		if score < lowest {
			lowest = score
		}
	}
	improve := func(end int, w way) {
		if !ways[end].ok || w.score > ways[end].score {
			ways[end] = w
		}
	}
	for at := 0; at < len(word); {
		n := 1
		switch b := word[at]; {
		case b >= 0xf0:
			n = 4
		case b >= 0xe0:
			n = 3
		case b >= 0xc0:
			n = 2
		}
		n = min(n, len(word)-at)
		known := false
		for end := at + 1; end <= len(word); end++ {
			for id := range v.Pieces.Len() {
				if string(v.Pieces.At(id)) == word[at:end] {
					improve(end, way{ways[at].score + v.Scores[id], at, int32(id), true})
					known = known || end == at+n
					break
				}
			}
		}
		if !known {
			improve(at+n, way{ways[at].score + (lowest - 10), at, v.Unknown, true})
		}
		at += n
	}
	ids := []int32{}
	for at := len(word); at > 0; at = ways[at].from {
		if id := ways[at].id; len(ids) == 0 || id != v.Unknown || ids[len(ids)-1] != id {
			ids = append(ids, id)
		}
	}
	slices.Reverse(ids)
	return ids
}

func checkNaive(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	letters := []string{"a", "b", "é", "漢", "\xc3", "😀", "\x80"}[:1+rng.IntN(7)]
	random := func(n int) string {
		text := ""
		for range n {
			text += letters[rng.IntN(len(letters))]
		}
		return text
	}
	v := vocabulary(int32(rng.IntN(3)))
	step := []float32{1, 0.25, 0.1}[rng.IntN(3)]
	for range rng.IntN(20) {
		v.Pieces.Append([]byte(random(1 + rng.IntN(4))))
		v.Scores = append(v.Scores, -step*float32(rng.IntN(12)))
	}
	if rng.IntN(4) == 0 { // long pieces, for fillLong
		v.Pieces.Append([]byte(random(300)))
		v.Scores = append(v.Scores, -step)
	}
	tokenizer := newTokenizer(t, v)
	for range 20 {
		word := random(rng.IntN(30))
		want := naive(v, word)
		require.Equal(t, want, idsOf(t, tokenizer, word), "%q in %+v", word, v)
		if tokenizer.ends != nil && word != "" {
			best, s := make([]best, len(word)+1), new(Scratch)
			for i := range best {
				best[i].from = -1
			}
			require.NoError(t, tokenizer.fillLong(best, []byte(word), s))
			got, err := tokenizer.walk(nil, best, nil)
			require.NoError(t, err)
			require.Equal(t, want, got, "%q in %+v", word, v)
		}
	}
}

// TestLong has a piece that almost matches at each position.
func TestLong(t *testing.T) {
	v := vocabulary(0, "<unk>", "a", strings.Repeat("a", 1<<14)+"b")
	v.Scores = []float32{0, -1, -1}
	tokenizer := newTokenizer(t, v)
	ids := idsOf(t, tokenizer, strings.Repeat("a", 1<<17)+"b")
	assert.Len(t, ids, 1<<17-1<<14+1)
	assert.Equal(t, int32(2), ids[len(ids)-1])
	done := make(chan struct{})
	close(done)
	s, full := new(Scratch), errors.New("full")
	s.Stop = done
	_, err := tokenizer.Append(nil, bytes.Repeat([]byte("a"), 1<<17), s)
	assert.Equal(t, parallel.ErrStopped, err)
	s.Stop, s.starts, s.Reserve = nil, nil, func(int64) error { return full }
	_, err = tokenizer.Append(nil, bytes.Repeat([]byte("a"), 1<<17), s)
	assert.Equal(t, full, err)
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

func TestGoroutines(t *testing.T) {
	v := vocabulary(0, "<unk>", "a", "b", "ab", "ba")
	v.Scores = []float32{-9, -2, -2, -3, -3}
	tokenizer := newTokenizer(t, v)
	var group sync.WaitGroup
	for seed := range uint64(4) {
		group.Go(func() {
			rng, s := rand.New(rand.NewPCG(seed, 1)), new(Scratch)
			for range 300 {
				word := strings.Repeat("ab", rng.IntN(4)) + strings.Repeat("b", rng.IntN(4))
				got, err := tokenizer.Append([]int32{}, []byte(word), s)
				assert.NoError(t, err)
				assert.Equal(t, naive(v, word), got)
			}
		})
	}
	group.Wait()
}

func TestAllocations(t *testing.T) {
	tokenizer := newTokenizer(t, vocabulary(0, "<unk>", "a", "aa"))
	s, dst, word := new(Scratch), make([]int32, 0, 100), bytes.Repeat([]byte("a"), 100)
	require.Zero(t, testing.AllocsPerRun(10, func() { dst, _ = tokenizer.Append(dst[:0], word, s) }))
}

// xlmRoberta returns the vocabulary of XLM-RoBERTa.
func xlmRoberta(t testing.TB) *Vocabulary {
	t.Helper()
	l := texttest.LayerOf(t, "xlm_roberta", "UnigramTokenizer")
	v := &Vocabulary{Scores: ir.Data[float32](l.Constants[8]), Unknown: 3}
	v.Pieces.Begins, v.Pieces.Ends, v.Pieces.Chars = l.Strings(5)
	require.NoError(t, v.Pieces.Check("pieces"))
	return v
}

// metaspaced returns words with U+2581 for the space before them.
func metaspaced(words [][]byte) [][]byte {
	for i, word := range words {
		words[i] = bytes.ReplaceAll(word, []byte(" "), []byte("▁"))
	}
	return words
}

// TestCorpus joins the pieces of words again.
func TestCorpus(t *testing.T) {
	v := xlmRoberta(t)
	tokenizer := newTokenizer(t, v)
	known := 0
	for _, word := range metaspaced(texttest.Words(texttest.Document(t))) {
		ids := idsOf(t, tokenizer, string(word))
		if slices.Contains(ids, v.Unknown) {
			continue
		}
		known++
		joined := []byte(nil)
		for _, id := range ids {
			joined = append(joined, v.Pieces.At(int(id))...)
		}
		require.Equal(t, string(word), string(joined))
	}
	require.Greater(t, known, 100000)
}

func BenchmarkNew(b *testing.B) {
	v := xlmRoberta(b)
	b.ReportAllocs()
	for b.Loop() {
		newTokenizer(b, v)
	}
	tokenizer := newTokenizer(b, v)
	b.ReportMetric(float64(tokenizer.pieces.Bytes()+4*int64(len(tokenizer.scores))), "bytes")
}

func BenchmarkAppend(b *testing.B) {
	tokenizer := newTokenizer(b, xlmRoberta(b))
	doc := texttest.Document(b)
	for name, words := range map[string][][]byte{"cold": metaspaced(texttest.Words(doc)), "warm": metaspaced(texttest.Words(doc)), "one": {bytes.ReplaceAll(doc, []byte(" "), []byte("▁"))}} {
		b.Run(name, func(b *testing.B) {
			s, dst, total := new(Scratch), []int32{}, 0
			for _, word := range words {
				total += len(word)
			}
			b.SetBytes(int64(total))
			for b.Loop() {
				if name == "cold" {
					tokenizer.cache.Clear()
				}
				dst = dst[:0]
				for _, word := range words {
					dst, _ = tokenizer.Append(dst, word, s)
				}
			}
		})
	}
}
