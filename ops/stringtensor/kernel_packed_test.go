package stringtensor

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/ir"
)

// packed returns a vector of u8 with numbers and text.
func packed(t testing.TB, text string, numbers ...int32) *ir.Tensor {
	t.Helper()
	var all []byte
	for _, n := range numbers {
		all = binary.LittleEndian.AppendUint32(all, uint32(n))
	}
	return symbolsOf(t, string(all)+text)
}

func TestUnpackBytes(t *testing.T) {
	for _, c := range []struct {
		in                    *ir.Tensor
		begins, ends, symbols string
	}{
		{packed(t, "abc", 2, 0, 1, 3), "[0 1]", "[1 3]", "abc"},
		{packed(t, "abcdef", 2, 1, 1, 3), "[1 1]", "[1 3]", "abc"},
		{packed(t, "", 0, 0), "[]", "[]", ""},
		{packed(t, "", 1, 0, 0), "[0]", "[0]", ""},
	} {
		for outputs := 1; outputs <= 3; outputs++ {
			out, err := layertest.RunOutputs(&Extension[1], nil, 1, outputs, c.in)
			require.NoError(t, err)
			assert.Equal(t, c.begins, elements(t, out[0]))
			if outputs > 1 {
				assert.Equal(t, c.ends, elements(t, out[1]))
			}
			if outputs > 2 {
				assert.Equal(t, c.symbols, string(out[2].Bytes()))
			}
		}
	}
}

func elements(t testing.TB, tensor *ir.Tensor) string {
	t.Helper()
	return fmt.Sprint(ir.Data[int32](tensor))
}

func TestUnpackBytes_errors(t *testing.T) {
	for want, in := range map[string]*ir.Tensor{
		"packed strings have 7 bytes, expected at least 8":                      symbolsOf(t, "abcdefg"),
		"packed strings have -1 strings, and 4 bytes for their offsets":         packed(t, "", -1, 0),
		"packed strings have 1 strings, and 7 bytes for their offsets":          packed(t, "abc", 1, 0),
		"packed strings have 2147483647 strings, and 8 bytes for their offsets": packed(t, "", 1<<31-1, 0, 0),
		"the last packed string ends at 4, of 3 bytes":                          packed(t, "abc", 1, 0, 4),
		"packed string 0 is from 2 to 1, of 3 bytes":                            packed(t, "abc", 2, 2, 1, 3),
		"packed string 0 is from -1 to 1, of 3 bytes":                           packed(t, "abc", 2, -1, 1, 3),
		"packed string 1 is from 1 to -1, of 3 bytes":                           packed(t, "abc", 2, 0, 1, -1),
	} {
		_, err := layertest.RunOutputs(&Extension[1], nil, 1, 3, in)
		assert.EqualError(t, err, want)
	}
	kernel, r, err := layertest.PrepareOutputs(&Extension[1], nil, 1, 3, packed(t, "abc", 2, 0, 1, 3))
	require.NoError(t, err)
	defer r.Pool.Close()
	done := make(chan struct{})
	close(done)
	r.Stop = done
	assert.Equal(t, parallel.ErrStopped, kernel(r))
}

// FuzzUnpackBytes compares what is accepted with a reference, and packs it again.
func FuzzUnpackBytes(f *testing.F) {
	f.Add(packed(f, "abc", 2, 0, 1, 3).Bytes())
	f.Add([]byte("short"))
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := layertest.RunOutputs(&Extension[1], nil, 1, 3, symbolsOf(t, string(in)))
		if err != nil {
			return
		}
		n := int(binary.LittleEndian.Uint32(in))
		require.Equal(t, n, out[0].Len())
		text := in[4*(n+2):]
		for i := range n {
			begin, end := binary.LittleEndian.Uint32(in[4*(i+1):]), binary.LittleEndian.Uint32(in[4*(i+2):])
			require.Equal(t, string(text[begin:end]), string(out[2].Bytes()[ir.Data[int32](out[0])[i]:ir.Data[int32](out[1])[i]]))
		}
	})
}
