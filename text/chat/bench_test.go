package chat_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/text/chat"
)

// BenchmarkRender renders 20 messages with a small template, and with that of Qwen 3 of the corpus.
func BenchmarkRender(b *testing.B) {
	sources := map[string]string{"small": source}
	if data, err := os.ReadFile(filepath.Join(os.Getenv("VINOIR_CORPUS"), "text", "templates", "qwen3.jinja")); err == nil {
		sources["qwen3"] = string(data)
	}
	in := chat.Input{Messages: conversation(20), AddGenerationPrompt: true}
	for name, source := range sources {
		b.Run(name, func(b *testing.B) {
			template, err := chat.Parse(source)
			require.NoError(b, err)
			b.ReportAllocs()
			for b.Loop() {
				_, err := template.Render(b.Context(), in)
				require.NoError(b, err)
			}
		})
	}
}
