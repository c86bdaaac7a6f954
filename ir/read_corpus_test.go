package ir_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
)

// corpusFolders returns the case folders below a folder of the corpus that
// VINOIR_CORPUS names.
func corpusFolders(t *testing.T, folder string) []string {
	root := os.Getenv("VINOIR_CORPUS")
	if root == "" {
		t.Skip("VINOIR_CORPUS is not set")
	}
	folders, err := filepath.Glob(filepath.Join(root, folder, "*", "model.xml"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	return folders
}

func TestReadCorpus(t *testing.T) {
	for _, folder := range []string{"onnx", "ops", "zoo"} {
		for _, path := range corpusFolders(t, folder) {
			_, err := ir.ReadFile(path, ir.ReadOptions{})
			assert.NoError(t, err, path)
			_, err = ir.ReadFile(path, ir.ReadOptions{NoBin: true})
			assert.NoError(t, err, path)
		}
	}
}

func TestReadCorpusBad(t *testing.T) {
	for _, path := range corpusFolders(t, "bad") {
		var c struct{ Stage, Expect string }
		text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "case.json"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &c))
		_, err = ir.ReadFile(path, ir.ReadOptions{})
		t.Log(filepath.Base(filepath.Dir(path)), c.Stage, c.Expect, err)
	}
}
