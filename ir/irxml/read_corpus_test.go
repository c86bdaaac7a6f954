package irxml_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
)

// corpusFolders returns the case folders below a folder of the corpus, which VINOIR_CORPUS
// names.
func corpusFolders(t *testing.T, folder string) []string {
	folders, err := filepath.Glob(filepath.Join(optest.Corpus(t), folder, "*", "model.xml"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	return folders
}

func TestReadCorpus(t *testing.T) {
	for _, folder := range []string{"onnx", "ops", "zoo"} {
		for _, path := range corpusFolders(t, folder) {
			_, err := irxml.ReadFile(path, irxml.ReadOptions{})
			assert.NoError(t, err, path)
			_, err = irxml.ReadFile(path, irxml.ReadOptions{NoBin: true})
			assert.NoError(t, err, path)
		}
	}
}

// TestReadCorpusBad reads every broken model. An error must have a place in the file and must
// be found before much is allocated. The conformance runner checks that the right stage returns it.
func TestReadCorpusBad(t *testing.T) {
	refused := 0
	for _, path := range corpusFolders(t, "bad") {
		var err error
		size := allocatedBytes(func() { _, err = irxml.ReadFile(path, irxml.ReadOptions{}) })
		assert.Less(t, size, uint64(64<<20), path)
		if err != nil {
			refused++
			var format *ir.FormatError
			assert.ErrorAs(t, err, &format, path)
		}
	}
	assert.Greater(t, refused, 60, "the cases that are about the file itself")
}
