package text_test

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/vinoir/vinoir/internal/conformance/textcases"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/text"
)

// TestCorpus_genAI compares with the Tokenizer of OpenVINO GenAI, which has options.
func TestCorpus_genAI(t *testing.T) {
	dir := filepath.Join(optest.Corpus(t), "text", "tokenizers")
	optest.Check(t, optest.NewRunner(t, text.Ops()), optest.Cases(t, regexp.MustCompile("/genai$"), dir, textcases.Find))
}
