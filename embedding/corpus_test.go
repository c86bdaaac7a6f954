package embedding_test

import (
	"path/filepath"
	"testing"

	"github.com/vinoir/vinoir/internal/conformance/textcases"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/extension"
)

// TestCorpus compares vectors and scores with GenAI's.
func TestCorpus(t *testing.T) {
	dir := filepath.Join(optest.Corpus(t), "text", "embed")
	optest.Check(t, optest.NewRunner(t, append(builtin.Ops(), extension.Ops()...)), optest.Cases(t, nil, dir, textcases.Find))
}
