package oip_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

func TestFiles(t *testing.T) {
	files, err := oip.Files(map[string][]byte{"1/model.xml": []byte("xml"), "1/model.bin": nil, "config.pbtxt": []byte("name")})
	require.NoError(t, err)
	require.NoError(t, fstest.TestFS(files, "1/model.xml", "1/model.bin", "config.pbtxt"))
	content, err := fs.ReadFile(files, "1/model.xml")
	require.NoError(t, err)
	require.Equal(t, "xml", string(content))
	_, err = fs.ReadFile(files, "1")
	require.ErrorIs(t, err, fs.ErrInvalid)
	_, err = fs.ReadFile(files, "2")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = fs.ReadFile(files, "../2")
	require.ErrorIs(t, err, fs.ErrInvalid)
}

func TestFiles_errors(t *testing.T) {
	for _, name := range []string{"", ".", "../x", "/x", "a//b", "a/../b"} {
		_, err := oip.Files(map[string][]byte{name: nil})
		require.ErrorContains(t, err, "has no path below the model's folder", name)
		require.Equal(t, oip.Malformed, code(err))
	}
	_, err := oip.Files(map[string][]byte{"a": nil, "a/b": nil})
	require.ErrorContains(t, err, `"a" is both a file and the folder of file "a/b"`)
}
