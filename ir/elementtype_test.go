package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseElementType(t *testing.T) {
	for want := Dynamic; want < Complex64; want++ {
		got, err := ParseElementType(want.String())
		require.NoError(t, err)
		assert.Equal(t, want, got)
		got, err = ParsePrecision(want.Precision())
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for text, want := range map[string]ElementType{"F32": F32, "I64": I64, "undefined": Dynamic, "Boolean": Boolean} {
		got, err := ParseElementType(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "FP32", "BOOL", "BIN", "float32", "f31", "complex64"} {
		_, err := ParseElementType(text)
		assert.Error(t, err, text)
	}
	for text, want := range map[string]ElementType{"BIN": U1, "U1": U1, "f32": F32, "UNSPECIFIED": Dynamic} {
		got, err := ParsePrecision(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "Fp32", "FP8", "COMPLEX64"} {
		_, err := ParsePrecision(text)
		assert.Error(t, err, text)
	}
}

func TestMergeElementTypes(t *testing.T) {
	for _, c := range []struct {
		a, b, want ElementType
		ok         bool
	}{
		{F32, F32, F32, true},
		{Dynamic, I64, I64, true},
		{I64, Dynamic, I64, true},
		{Dynamic, Dynamic, Dynamic, true},
		{F32, F16, Dynamic, false},
	} {
		got, ok := MergeElementTypes(c.a, c.b)
		assert.Equal(t, c.ok, ok, "%v %v", c.a, c.b)
		assert.Equal(t, c.want, got, "%v %v", c.a, c.b)
	}
}
