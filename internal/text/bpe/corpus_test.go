package bpe

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/texttest"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
)

// vocabularyOf returns the vocabulary of a tokenizer of the corpus.
func vocabularyOf(t testing.TB, tokenizer string) *Vocabulary {
	t.Helper()
	l := texttest.LayerOf(t, tokenizer, "BPETokenizer")
	of := func(i int) (s ragged.Strings) {
		s.Begins, s.Ends, s.Chars = l.Strings(i)
		require.NoError(t, s.Check(tokenizer))
		return s
	}
	v := &Vocabulary{Words: of(5), Left: of(8), Pairs: len(l.Constants) != 14 && len(l.Constants) != 18}
	if !v.Pairs {
		v.Right = of(11)
	}
	if n := len(l.Constants); n == 15 || n == 18 {
		v.Added, v.AddedIDs = of(n-4), ir.Data[int32](l.Constants[n-1])
	}
	for _, a := range l.Data {
		switch a.Name {
		case "unk_token":
			v.Unknown = a.Value
		case "end_suffix":
			v.EndSuffix = a.Value
		case "byte_fallback":
			v.ByteFallback = a.Value == "true"
		case "cache_capacity":
			n, err := strconv.Atoi(a.Value)
			require.NoError(t, err)
			v.CacheCapacity = n
		}
	}
	return v
}

// TestCorpus compares tokens of real vocabularies with those of naive.
func TestCorpus(t *testing.T) {
	for _, name := range []string{"qwen3", "llama3_1", "llama2", "clip", "roberta_small_vocab"} {
		t.Run(name, func(t *testing.T) {
			v := vocabularyOf(t, name)
			tokenizer := newTokenizer(t, v)
			want, err := newNaive(v)
			require.NoError(t, err)
			s := new(Scratch)
			for _, text := range texttest.Texts(t, name) {
				for _, word := range append(texttest.Words([]byte(text)), []byte(text[:min(len(text), 80)])) {
					got, err := tokenizer.Append([]int32{}, word, s)
					require.NoError(t, err)
					require.Equal(t, want.tokens(string(word)), got, "%q", word)
				}
			}
		})
	}
}
