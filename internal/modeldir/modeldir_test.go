package modeldir

import (
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	files := fstest.MapFS{"m/empty": {}, "m/five": {Data: []byte("12345")}}
	for _, test := range []struct {
		name  string
		limit int64
		want  []byte
		err   string
	}{
		{"m/five", 5, []byte("12345"), ""},
		{"m/five", 4, nil, "m/five: it is larger than the limit of 4 bytes"},
		{"m/empty", 0, []byte{}, ""},
		{"m/none", 5, nil, ""},
		{"none/none", 5, nil, ""},
	} {
		got, err := Read(files, test.name, test.limit)
		if test.err != "" {
			require.EqualError(t, err, test.err)
		} else {
			require.NoError(t, err)
		}
		assert.Equal(t, test.want, got, test.name)
	}
	_, err := Read(os.DirFS(t.TempDir()), ".", 5)
	assert.ErrorContains(t, err, ".: ", "a directory")
}

func TestReadJSON(t *testing.T) {
	files := fstest.MapFS{
		"right": {Data: []byte(`{"a": 3}`)}, "wrong": {Data: []byte(`{"a": "b"}`)}, "empty": {},
		"large": {Data: make([]byte, maxJSONBytes+1)},
	}
	settings := struct{ A, B int }{1, 2}
	require.NoError(t, ReadJSON(files, "none", &settings))
	assert.Equal(t, 1, settings.A)
	require.NoError(t, ReadJSON(files, "right", &settings))
	assert.Equal(t, [2]int{3, 2}, [2]int{settings.A, settings.B})
	for name, want := range map[string]string{
		"wrong": "wrong: json: cannot unmarshal string",
		"empty": "empty: unexpected end of JSON input",
		"large": "large: it is larger than the limit of 16777216 bytes",
	} {
		assert.ErrorContains(t, ReadJSON(files, name, &settings), want)
	}
	assert.ErrorIs(t, ReadJSON(broken{}, "a", &settings), fs.ErrPermission)
}

// broken is a file system whose files cannot be read.
type broken struct{ fs.File }

func (b broken) Open(string) (fs.File, error) { return b, nil }
func (broken) Read([]byte) (int, error)       { return 0, fs.ErrPermission }
func (broken) Close() error                   { return nil }
