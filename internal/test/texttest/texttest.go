// Package texttest reads what tests of tokenizers need from the corpus of text: the vocabularies of
// real tokenizers, and texts.
package texttest

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
)

// folder returns the folder of a tokenizer of the corpus. It skips the test if there is no corpus.
func folder(t testing.TB, name string) string {
	t.Helper()
	corpus := os.Getenv("VINOIR_CORPUS")
	if corpus == "" {
		t.Skip("VINOIR_CORPUS is not set")
	}
	dir := filepath.Join(corpus, "text", "tokenizers", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skip(err)
	}
	return dir
}

// Layer is a layer of a tokenizer, with its constant inputs; the others are nil.
type Layer struct {
	*ir.Layer
	Constants []*ir.Tensor
}

// LayerOf returns the first layer of a type of a tokenizer of the corpus.
func LayerOf(t testing.TB, tokenizer, layerType string) *Layer {
	t.Helper()
	m, err := irxml.ReadFile(filepath.Join(folder(t, tokenizer), "openvino_tokenizer.xml"), irxml.ReadOptions{})
	require.NoError(t, err)
	for layer := range m.AllLayers() {
		if layer.Type != layerType {
			continue
		}
		l := &Layer{Layer: layer}
		for _, in := range layer.Inputs {
			l.Constants = append(l.Constants, in.Source.Constant)
		}
		return l
	}
	t.Fatalf("%s has no %s", tokenizer, layerType)
	return nil
}

// Strings returns the strings of inputs i to i+2.
func (l *Layer) Strings(i int) (begins, ends []int32, chars []byte) {
	return ir.Data[int32](l.Constants[i]), ir.Data[int32](l.Constants[i+1]), l.Constants[i+2].Bytes()
}

// Texts returns the texts of encode.json of a tokenizer of the corpus.
func Texts(t testing.TB, tokenizer string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder(t, tokenizer), "encode.json"))
	require.NoError(t, err)
	var texts []string
	for line := range bytes.Lines(data) {
		var c struct{ Text any }
		if json.Unmarshal(bytes.TrimSuffix(bytes.TrimSpace(line), []byte(",")), &c) != nil {
			continue // a line of the frame
		}
		if text, ok := c.Text.(string); ok {
			texts = append(texts, text)
		}
	}
	require.NotEmpty(t, texts)
	return texts
}

// Words cuts a text into words as many tokenizers do: letters with the space before them, one to
// three digits, and runs of other characters.
func Words(text []byte) [][]byte {
	var words [][]byte
	for len(text) > 0 {
		at, kind, n := 0, -1, 0
		if text[0] == ' ' {
			at = 1
		}
		for at < len(text) {
			r, size := utf8.DecodeRune(text[at:])
			k := 2
			switch {
			case unicode.IsLetter(r) || unicode.IsMark(r):
				k = 0
			case unicode.IsDigit(r):
				k = 1
			case r == ' ':
				k = 3
			}
			if n++; kind >= 0 && k != kind || kind == 1 && n > 3 {
				break
			}
			kind = k
			at += size
		}
		words = append(words, text[:at:at])
		text = text[at:]
	}
	return words
}

// Document returns a text of about 1 MB: the documents of this module, and then Go files.
func Document(t testing.TB) []byte {
	t.Helper()
	root, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			break
		}
		require.NotEqual(t, root, filepath.Dir(root), "no go.mod in a folder above")
		root = filepath.Dir(root)
	}
	var doc []byte
	for _, ext := range []string{".md", ".go"} {
		err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ext || len(doc) > 1<<20 {
				return err
			}
			text, err := os.ReadFile(filepath.Join(root, path))
			doc = append(doc, text...)
			return err
		})
		require.NoError(t, err)
	}
	return doc
}
