package sentencepiece

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vinoir/vinoir/internal/test/texttest"
)

// benchModels returns models of the corpus.
func benchModels(b *testing.B) map[string][]byte {
	models := map[string][]byte{}
	for _, name := range []string{"mistral_v3_sp", "botchan_unigram_sp"} {
		models[name] = texttest.LayerOf(b, name, "SentencepieceTokenizer").Constants[0].Bytes()
	}
	return models
}

// BenchmarkEncode encodes a document of 1 MB, a prompt, and a text without spaces.
func BenchmarkEncode(b *testing.B) {
	line := "The quick brown fox jumps over the lazy dog, and it was not the first time in 2019. "
	for name, data := range benchModels(b) {
		m := parse(b, data)
		for length, text := range map[string]string{"document": string(texttest.Document(b)), "prompt": line, "unsplit": strings.Repeat(strings.ReplaceAll(line, " ", ""), 1<<20/len(line))} {
			b.Run(name+"/"+length, func(b *testing.B) {
				var s Scratch
				var ids []int32
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					var err error
					if ids, err = m.Append(ids[:0], []byte(text), Options{}, &s); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkParse reads a model.
func BenchmarkParse(b *testing.B) {
	for name, data := range benchModels(b) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				parse(b, data)
			}
		})
	}
}

// BenchmarkDecode decodes 100,000 ids.
func BenchmarkDecode(b *testing.B) {
	for name, data := range benchModels(b) {
		m := parse(b, data)
		rng := rand.New(rand.NewPCG(1, 1))
		ids := make([]int32, 100000)
		for i := range ids {
			ids[i] = int32(rng.IntN(m.Len()))
		}
		b.Run(name, func(b *testing.B) {
			var s Scratch
			var dst []byte
			for b.Loop() {
				var err error
				if dst, err = m.Decode(dst[:0], ids, &s); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(len(dst)))
		})
	}
}
