package bytestochars

import (
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
)

// BenchmarkLayer maps the words of a document of 1 MB, and back.
func BenchmarkLayer(b *testing.B) {
	var row []string
	for _, word := range texttest.Words(texttest.Document(b)) {
		row = append(row, string(word))
	}
	in := texttest.RaggedTensors(b, row)
	layertest.BenchmarkOf(b, "chars", &Ops[0], nil, 5, in...)
	out, err := layertest.RunOutputs(&Ops[0], nil, 1, 5, in...)
	if err != nil {
		b.Fatal(err)
	}
	layertest.BenchmarkOf(b, "bytes", &Ops[1], nil, 3, out...)
}
