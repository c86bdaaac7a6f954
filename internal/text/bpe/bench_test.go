package bpe

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/texttest"
)

var names = []string{"qwen3", "llama3_1", "llama2", "clip"}

func BenchmarkNew(b *testing.B) {
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			v := vocabularyOf(b, name)
			b.ReportAllocs()
			for b.Loop() {
				newTokenizer(b, v)
			}
			tokenizer := newTokenizer(b, v)
			size := tokenizer.starts.Bytes() + int64(cap(tokenizer.symbols))*symbolBytes +
				sizeOf[merge](len(tokenizer.merges.slots)) + int64(len(tokenizer.joins.bits))*8
			b.ReportMetric(float64(size), "bytes")
			b.ReportMetric(float64(v.Words.Len()), "words")
		})
	}
}

// BenchmarkAppend cuts a document of 1 MB: its words with an empty cache and with a warm one, and
// all of it as one word.
func BenchmarkAppend(b *testing.B) {
	for _, name := range names {
		v := vocabularyOf(b, name)
		doc := texttest.Document(b)
		words := texttest.Words(doc)
		if name == "llama2" {
			doc = bytes.ReplaceAll(doc, []byte(" "), []byte("▁"))
			words = [][]byte{doc}
		}
		run := func(b *testing.B, words [][]byte, cold bool, capacity int) {
			v.CacheCapacity = capacity
			tokenizer := newTokenizer(b, v)
			s, dst := new(Scratch), []int32{}
			total := 0
			for _, word := range words {
				total += len(word)
			}
			b.SetBytes(int64(total))
			for b.Loop() {
				if cold {
					tokenizer.cache.Clear()
				}
				dst = dst[:0]
				for _, word := range words {
					var err error
					if dst, err = tokenizer.Append(dst, word, s); err != nil {
						b.Fatal(err)
					}
				}
			}
			require.NotEmpty(b, dst)
		}
		b.Run(name+"/cold", func(b *testing.B) { run(b, words, true, 20000) })
		b.Run(name+"/warm", func(b *testing.B) { run(b, words, false, 20000) })
		b.Run(name+"/uncached", func(b *testing.B) { run(b, words, true, 0) })
		b.Run(name+"/one", func(b *testing.B) { run(b, [][]byte{doc}, true, 0) })
		b.Run(name+"/letters", func(b *testing.B) {
			run(b, [][]byte{bytes.ReplaceAll(doc, []byte(" "), nil)}, true, 0)
		})
		b.Run(name+"/aaaa", func(b *testing.B) { run(b, [][]byte{[]byte(strings.Repeat("a", 1<<20))}, true, 0) })
	}
}
