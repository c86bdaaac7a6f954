package preprocess

import (
	"bytes"
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scanned returns testdata/progressive.jpg with n more scans, copies of its last one.
func scanned(t *testing.T, n int) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/progressive.jpg")
	require.NoError(t, err)
	last := bytes.LastIndex(data, []byte{markerByte, startOfScan})
	end := bytes.LastIndex(data, []byte{markerByte, endOfImage})
	require.Greater(t, end, last)
	return append(append(data[:end:end], bytes.Repeat(data[last:end], n)...), data[end:]...)
}

// TestDecode_scans has a JPEG with as many scans as are allowed, and one more.
func TestDecode_scans(t *testing.T) {
	before := scans(scanned(t, 0), 1000)
	require.Greater(t, before, 1)
	require.Equal(t, maxScans, scans(scanned(t, maxScans-before), 1000))
	_, err := Decode(scanned(t, maxScans-before+1), 0)
	assert.EqualError(t, err, "the JPEG has more than 100 scans")
	_, err = Decode(scanned(t, 0), 0)
	assert.NoError(t, err)
}

// TestScans_markers has markers that are no scans, and files that end in a marker.
func TestScans_markers(t *testing.T) {
	for text, want := range map[string]int{
		"":                         0,
		"\xff\xd8\xff":             0,
		"\xff\xd8\xff\xda":         1,
		"\xff\xd8\xff\xda\x00":     1,
		"\xff\xd8\xff\xda\xff\xff": 1,
		// the first is in the segment of a camera
		"\xff\xd8\xff\xe1\x00\x06\xff\xda\x00\x02\xff\xda\x00\x02":         1,
		"\xff\xd8\xff\xda\x00\x02\xff\x00\xda\xff\xd0\xff\xff\xda\x00\x02": 2,
		"\xff\xd8\xff\xda\x00\x02\xff\xd9\xff\xda\x00\x02":                 1,
		"\xff\xd8\xff\xda\x00\x00\xff\xda\x00\x00":                         2,
		"\x89PNG\r\n\x1a\n\xff\xda\x00\x02":                                0,
	} {
		assert.Equal(t, want, scans([]byte(text), 10), "%q", text)
	}
	assert.Equal(t, 3, scans(scanned(t, 50), 2), "it stops after one more than it was asked for")
}

// countdown is a context that is done after some calls of Err.
type countdown struct {
	context.Context
	calls int
}

// Err implements context.Context.
func (c *countdown) Err() error {
	if c.calls--; c.calls < 0 {
		return context.Canceled
	}
	return nil
}

// TestDecodeContext ends at any time during the decoding.
func TestDecodeContext(t *testing.T) {
	for _, name := range []string{"testdata/progressive.jpg", "testdata/smooth.jpg", "testdata/rgb.png"} {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		whole := &countdown{context.Background(), 1 << 30}
		_, err = DecodeContext(whole, data, 0)
		require.NoError(t, err)
		calls := 1<<30 - whole.calls
		assert.Greater(t, calls, len(data)/readBytes, "it asks for every few bytes")
		for n := range calls {
			_, err = DecodeContext(&countdown{context.Background(), n}, data, 0)
			require.ErrorIs(t, err, context.Canceled)
		}
	}
}
