package charsmapnormalization

import (
	"strings"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
)

// BenchmarkLayer normalizes a document of 1 MB, and the prompt of a chat.
func BenchmarkLayer(b *testing.B) {
	op := find(b, "CharsMapNormalization")
	attributes := layertest.Attributes{"normalization_form", "nfc", "remove_extra_whitespaces", "false"}
	line := "The quick brown fox jumps over the lazy dog, and \u00E9t\u00E9. "
	layertest.BenchmarkOf(b, "document", op, attributes, 3, inputs(b, nil, strings.Repeat(line, 1<<20/len(line)))...)
	layertest.BenchmarkOf(b, "prompt", op, attributes, 3, inputs(b, nil, line)...)
}
