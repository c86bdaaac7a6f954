package onnx_test

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir"
	"github.com/vinoir/vinoir/ir/onnx"
)

// TestFormat tests that the content of a file decides which reader reads it, not its name.
func TestFormat(t *testing.T) {
	options := vinoir.Options{Format: onnx.Format{}}
	folder := t.TempDir()
	open := map[string]func(o vinoir.Options, content string) (*vinoir.Model, error){
		"Open": func(o vinoir.Options, content string) (*vinoir.Model, error) {
			path := filepath.Join(folder, "model.xml")
			require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
			return o.Open(path)
		},
		"OpenFS": func(o vinoir.Options, content string) (*vinoir.Model, error) {
			return o.OpenFS(fstest.MapFS{"model.xml": {Data: []byte(content)}}, "model.xml")
		},
		"Read": func(o vinoir.Options, content string) (*vinoir.Model, error) { return o.Read([]byte(content), nil) },
	}
	for name, read := range open {
		model, err := read(options, relu)
		require.NoError(t, err, name)
		require.NoError(t, model.Close())
		for content, message := range map[string]string{
			"<net":             "start tag <net> is malformed",
			"\n <x/>":          "net",
			"\xef\xbb\xbf<x/>": "net",
			"":                 "this is an empty file",
			"\x08\x0a:\x05":    "not an ONNX model",
			"neither":          "not an ONNX model",
			"PK\x03\x04":       "this is an archive: unpack it",
		} {
			_, err := read(options, content)
			assert.ErrorContains(t, err, message, "%s of %q", name, content)
		}
		_, err = read(vinoir.Options{}, relu)
		assert.Error(t, err, "no format is named")
	}
	_, err := options.Open(filepath.Join(folder, "none.onnx"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}
