package text

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/internal/test/texttest"
)

// benchNames are tokenizers of the corpus, one of each kind.
var benchNames = []string{"qwen3", "llama3_1", "bert_minilm", "xlm_roberta", "llama2", "mistral_v3_sp", "clip"}

func openBench(b *testing.B, name string) *Tokenizer {
	tokenizer, err := Open(filepath.Join(optest.Corpus(b), "text", "tokenizers", name))
	if err != nil {
		b.Fatal(err)
	}
	return tokenizer
}

// benchDocument returns the text file that VINOIR_DOCUMENT names, and otherwise one of about 1 MB.
func benchDocument(b *testing.B) string {
	if path := os.Getenv("VINOIR_DOCUMENT"); path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		return string(text)
	}
	return string(texttest.Document(b))
}

// BenchmarkDocument encodes a document with a new tokenizer and with one that has encoded it
// before, and a prompt.
func BenchmarkDocument(b *testing.B) {
	document := benchDocument(b)
	prompt := "The quick brown fox jumps over the lazy dog, and then it sleeps for 12 hours in the sun."
	for _, name := range benchNames {
		run := func(b *testing.B, text string, cold bool) {
			tokenizer := openBench(b, name)
			var ids []int32
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if cold {
					b.StopTimer()
					_ = tokenizer.Close()
					tokenizer = openBench(b, name)
					b.StartTimer()
				}
				var err error
				if ids, err = tokenizer.AppendEncode(b.Context(), ids[:0], text, true); err != nil {
					b.Fatal(err)
				}
			}
			_ = tokenizer.Close()
		}
		b.Run(name+"/cold", func(b *testing.B) { run(b, document, true) })
		b.Run(name+"/warm", func(b *testing.B) { run(b, document, false) })
		b.Run(name+"/prompt", func(b *testing.B) { run(b, prompt, false) })
	}
}

// BenchmarkOpen opens tokenizers of 30,000 to 250,000 words.
func BenchmarkOpen(b *testing.B) {
	for _, name := range benchNames {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = openBench(b, name).Close()
			}
		})
	}
}
