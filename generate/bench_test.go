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

func BenchmarkStep(b *testing.B) {
	m, err := Open(corpus(b, "llm", "llama"))
	require.NoError(b, err)
	steps := newSteps(m)
	s := &steps
	tokens := make([]int32, 32)
	parents := []int32{0}
	b.ReportAllocs()
	for b.Loop() {
		if s.past == 0 || s.past > 500 {
			b.StopTimer()
			require.NoError(b, s.reset([]int{0}))
			_, err = s.run(background, tokens, parents, 1)
			require.NoError(b, err)
			_, err = s.run(background, tokens[:1], parents, 1)
			require.NoError(b, err)
			_, err = s.run(background, tokens[:1], parents, 1)
			require.NoError(b, err)
			b.StartTimer()
		}
		logits, err := s.run(background, tokens[:1], parents, 1)
		require.NoError(b, err)
		argmax(logits)
	}
}
