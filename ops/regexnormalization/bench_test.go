package regexnormalization

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
)

// BenchmarkLayer normalizes a document of 1 MB with patterns of real tokenizers.
func BenchmarkLayer(b *testing.B) {
	for _, c := range []struct{ name, pattern, replacement string }{
		{"metaspace", " ", "▁"},
		{"accents", `\p{Mn}`, ""},
		{"control", `([\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\p{Cf}])`, ""},
		{"han", `([\p{Han}])`, " $1 "},
		{"white space", `\s+`, " "},
		{"prefix", `(^)([^▁])`, "▁$2"},
	} {
		layertest.BenchmarkOf(b, c.name, &Ops[0], nil, 3, inputs(b, []string{string(texttest.Document(b))}, nil, c.pattern, c.replacement)...)
	}
}
