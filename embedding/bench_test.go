package embedding

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkEmbed has the real all-MiniLM-L6-v2, and texts of 1 to 24 words.
func BenchmarkEmbed(b *testing.B) {
	o := withBuiltin()
	o.InferenceNumThreads = 1
	p := openMiniLM(b, o)
	texts := sentences(200)
	b.ReportAllocs()
	for b.Loop() {
		_, err := p.Embed(background, texts)
		require.NoError(b, err)
	}
}
