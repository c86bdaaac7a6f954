package irxml_test

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/ir/irxml"
)

func TestIsOther(t *testing.T) {
	for start, want := range map[string]bool{
		"":                        false,
		" \n":                     false,
		"\n <net":                 false,
		"\xef\xbb\xbf<net":        false,
		"\xff\xfe<\x00":           false,
		"\x08\x08\x12\x07pytorch": true,
		"\x3a\x05":                true, // an ONNX model that does not start with its version
		"something":               true,
		"PK\x03\x04":              false,
		"version https://git-lfs.github.com/spec/v1\n": false,
		"\x08\x08\x12\x04TFL3":                         true, // TFL3 is in a name
	} {
		assert.Equal(t, want, irxml.IsOther([]byte(start)), "%q", start)
		got := irxml.FileIsOther(func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(start)), nil })
		assert.Equal(t, want, got, "%q", start)
	}
	assert.False(t, irxml.FileIsOther(func() (io.ReadCloser, error) { return nil, os.ErrNotExist }))
	long := strings.Repeat("x", 2*irxml.StartBytes)
	assert.True(t, irxml.FileIsOther(func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(long)), nil }))
}
