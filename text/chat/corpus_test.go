package chat_test

import (
	"path/filepath"
	"testing"

	"github.com/vinoir/vinoir/internal/conformance/textcases"
	"github.com/vinoir/vinoir/internal/test/optest"
)

// TestCorpus renders the templates of the corpus, where there is one, and compares the text with
// that of Hugging Face's transformers.
func TestCorpus(t *testing.T) {
	dir := filepath.Join(optest.Corpus(t), "text", "templates")
	optest.Check(t, optest.NewRunner(t, nil), optest.Cases(t, nil, dir, textcases.Find))
}
