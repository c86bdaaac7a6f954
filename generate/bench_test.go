package generate

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

var background = context.Background()

// corpus returns the folder of the corpus of text models, or skips the test.
func corpus(t testing.TB, parts ...string) string {
	t.Helper()
	root := os.Getenv("VINOIR_CORPUS")
	if root == "" {
		t.Skip("VINOIR_CORPUS is not set")
	}
	return filepath.Join(append([]string{root, "text"}, parts...)...)
}

// BenchmarkStep has the time of a token with lengths that an earlier text had, and with new ones.
func BenchmarkStep(b *testing.B) {
	const prompt, end = 32, 500
	for _, name := range []string{"seen", "new"} {
		b.Run(name, func(b *testing.B) {
			tokens, parents := make([]int32, prompt), []int32{0}
			var s *steps
			step := func(tokens []int32) {
				logits, err := s.run(background, tokens, parents, 1)
				require.NoError(b, err)
				argmax(logits)
			}
			begin := func() {
				require.NoError(b, s.reset([]int{0}))
				step(tokens)
				step(tokens[:1])
				step(tokens[:1])
			}
			open := func() {
				m, err := Open(corpus(b, "llm", "llama"))
				require.NoError(b, err)
				made := newSteps(m)
				s = &made
				begin()
			}
			open()
			if name == "seen" {
				for range 2 { // a kernel is kept for a length that comes again
					begin()
					for s.past <= end {
						step(tokens[:1])
					}
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				if s.past > end {
					b.StopTimer()
					if name == "new" {
						open()
					} else {
						begin()
					}
					b.StartTimer()
				}
				step(tokens[:1])
			}
		})
	}
}
