package ragged_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/text/ragged"
)

func TestStrings(t *testing.T) {
	var s ragged.Strings
	s.Append([]byte("ab"))
	s.Append(nil)
	s.Append([]byte("\xff"))
	assert.Equal(t, 3, s.Len())
	assert.Equal(t, "ab", string(s.At(0)))
	assert.Empty(t, s.At(1))
	assert.Equal(t, "\xff", string(s.At(2)))
	assert.NoError(t, s.Check("words"))
	assert.Equal(t, 2, cap(s.At(0)), "who appends to a string must not write into the next one")
}

func TestCheck(t *testing.T) {
	of := func(begins, ends []int32) ragged.Strings {
		return ragged.Strings{Begins: begins, Ends: ends, Chars: []byte("abc")}
	}
	assert.NoError(t, of([]int32{2, 0, 3}, []int32{3, 3, 3}).Check("words"), "ranges can overlap, and be empty at the end")
	assert.EqualError(t, of([]int32{0}, nil).Check("words"), "words: 1 begins and 0 ends")
	assert.EqualError(t, of([]int32{0, 2}, []int32{1, 1}).Check("words"), "words: string 1 is from 2 to 1, of 3 bytes")
	assert.EqualError(t, of([]int32{-1}, []int32{1}).Check("words"), "words: string 0 is from -1 to 1, of 3 bytes")
	assert.EqualError(t, of([]int32{0}, []int32{4}).Check("words"), "words: string 0 is from 0 to 4, of 3 bytes")
	assert.NoError(t, ragged.Rows{Begins: []int32{0, 1}, Ends: []int32{1, 2}}.Check("rows", 2))
	assert.EqualError(t, ragged.Rows{Begins: []int32{1}, Ends: []int32{3}}.Check("rows", 2), "rows: row 0 is from 1 to 3, of 2 items")
	assert.EqualError(t, ragged.Rows{Begins: []int32{1}}.Check("rows", 2), "rows: 1 begins and 0 ends")
}
