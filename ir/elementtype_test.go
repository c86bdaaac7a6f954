package ir

import (
	"math"
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

func TestElementTypeLimits(t *testing.T) {
	for _, c := range []struct {
		t      ElementType
		lo, hi int64
		ok     bool
	}{
		{Boolean, 0, 1, true},
		{I8, -128, 127, true},
		{U8, 0, 255, true},
		{I32, math.MinInt32, math.MaxInt32, true},
		{U32, 0, math.MaxUint32, true},
		{I64, math.MinInt64, math.MaxInt64, true},
		{U64, 0, math.MaxInt64, true},
		{I4, 0, 0, false},
		{F32, 0, 0, false},
		{String, 0, 0, false},
	} {
		lo, hi, ok := c.t.Limits()
		assert.Equal(t, c.ok, ok, c.t.String())
		assert.Equal(t, []int64{c.lo, c.hi}, []int64{lo, hi}, c.t.String())
	}
}
