package ir

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shape parses text, which must be a valid shape.
func shape(t *testing.T, text string) PartialShape {
	t.Helper()
	s, err := ParsePartialShape(text)
	require.NoError(t, err)
	return s
}

func TestParsePartialShape(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "[]",
		"[]":                     "[]",
		" [ 1 , 2 ] ":            "[1,2]",
		"?,-1,1..10,2..,..4":     "[?,?,1..10,2..,..4]",
		"..":                     "[?]",
		"3..3":                   "[3]",
		"0..":                    "[?]",
		"...":                    "[...]",
		"[...]":                  "[...]",
		"9223372036854775806":    "[9223372036854775806]",
		"1..9223372036854775806": "[1..9223372036854775806]",
	} {
		got, err := ParsePartialShape(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got.String(), text)
	}
	for _, text := range []string{
		"{1,2}", "1,,3", "1,", "?,...", "1.5", "+3", "a", "-2", "5..2", "1..-1", "[1", "1]",
		"9223372036854775807", "99999999999999999999",
	} {
		_, err := ParsePartialShape(text)
		assert.Error(t, err, text)
	}
}

func FuzzParsePartialShape(f *testing.F) {
	for _, seed := range []string{"[1,?,3..5]", "...", "", "..4,2..", "1..-1", "[[1]]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParsePartialShape(text)
		if err != nil {
			return
		}
		again, err := ParsePartialShape(s.String())
		require.NoError(t, err)
		assert.True(t, s.Equal(again), "%q printed as %v is read as %v", text, s, again)
	})
}

func TestPartialShapeMergeRelax(t *testing.T) {
	for _, c := range []struct{ a, b, merged, relaxed string }{
		{"[2,3]", "[2,3]", "[2,3]", "[2,3]"},
		{"[2,?]", "[2..4,3]", "[2,3]", "[2..4,?]"},
		{"[1..3]", "[2..5]", "[2..3]", "[1..5]"},
		{"[...]", "[1,2]", "[1,2]", "[...]"},
		{"[1]", "[2]", "", "[1..2]"},
		{"[1]", "[1,1]", "", "[...]"},
		{"[]", "[]", "[]", "[]"},
	} {
		a, b := shape(t, c.a), shape(t, c.b)
		for range 2 {
			merged, ok := a.Merge(b)
			assert.Equal(t, c.merged != "", ok, "%v %v", a, b)
			assert.Equal(t, ok, a.Compatible(b))
			if ok {
				assert.Equal(t, c.merged, merged.String())
			}
			assert.Equal(t, c.relaxed, a.Relax(b).String())
			a, b = b, a
		}
	}
}

func TestPartialShape_Contains(t *testing.T) {
	for _, c := range []struct {
		s, t string
		want bool
	}{
		{"[...]", "[2,?]", true},
		{"[...]", "[...]", true},
		{"[?,2..4]", "[5..,3]", true},
		{"[]", "[]", true},
		{"[2,3]", "[...]", false},
		{"[2,3]", "[2,?]", false},
		{"[2..4]", "[3..5]", false},
		{"[2]", "[2,1]", false},
	} {
		assert.Equal(t, c.want, shape(t, c.s).Contains(shape(t, c.t)), "%s contains %s", c.s, c.t)
	}
}

func TestPartialShapeElements(t *testing.T) {
	for text, want := range map[string]string{
		"[]": "1", "[2,3]": "6", "[2,?]": "?", "[0,?]": "0", "[2,1..3]": "2..6", "[...]": "?",
		"[4611686018427387904,4]": "?",
	} {
		got := shape(t, text).Elements()
		if text == "[4611686018427387904,4]" { // saturates: beyond what an int64 counts
			assert.Equal(t, int64(math.MaxInt64), got.Max)
			continue
		}
		assert.Equal(t, want, got.String(), text)
	}
}

func TestPartialShapeStatic(t *testing.T) {
	lengths, err := shape(t, "[2,0,3]").Static()
	require.NoError(t, err)
	assert.Equal(t, Shape{2, 0, 3}, lengths)
	for _, text := range []string{"[...]", "[?]", "[1,2..3]"} {
		_, err := shape(t, text).Static()
		assert.ErrorContains(t, err, text+" is not static")
	}
}

func TestPartialShape_At(t *testing.T) {
	assert.Equal(t, DimRange(2, 3), ShapeOf(Dim(1), DimRange(2, 3)).At(1))
	assert.Equal(t, AnyDim, UnknownRank.At(1))
}

func TestMaxRank(t *testing.T) {
	ones := strings.Repeat("1,", MaxRank-1) + "1"
	s := shape(t, ones)
	assert.Equal(t, "["+ones+"]", s.String())
	lengths, err := s.Static()
	require.NoError(t, err)
	_, err = NewTensor(F32, lengths...)
	require.NoError(t, err)

	_, err = ParsePartialShape(ones + ",1")
	require.ErrorContains(t, err, "65 axes are more than the limit of 64")
	assert.Less(t, len(err.Error()), 300)
	_, err = ParsePartialShape(strings.Repeat("?,", 1<<20))
	require.ErrorContains(t, err, "1048577 axes are more than the limit of 64")
	assert.Less(t, len(err.Error()), 300)
	_, err = NewTensor(F32, append(lengths, 1)...)
	require.EqualError(t, err, "65 axes are more than the limit of 64")
	_, err = StringTensor(append(lengths, 1), []string{""})
	require.EqualError(t, err, "65 axes are more than the limit of 64")
	assert.Equal(t, "["+strings.Repeat("?,", MaxRank)+"...]", ShapeOfRank(1<<20).String())
}
