package ragged_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/internal/parallel"
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

func TestCheckUntil(t *testing.T) {
	stopped := make(chan struct{})
	close(stopped)
	many := make([]int32, 1<<15)
	assert.Equal(t, parallel.ErrStopped, ragged.Strings{Begins: many, Ends: many}.CheckUntil(stopped, "words"))
	assert.Equal(t, parallel.ErrStopped, ragged.Rows{Begins: many, Ends: many}.CheckUntil(stopped, "rows", 0))
	assert.NoError(t, ragged.Strings{Begins: many[:9], Ends: many[:9]}.CheckUntil(stopped, "words"), "few take no time")
	many[1<<14+3] = 1
	assert.EqualError(t, ragged.Rows{Begins: many, Ends: make([]int32, 1<<15)}.Check("rows", 0), "rows: row 16387 is from 1 to 0, of 0 items")
}

func TestTruncation_Cut(t *testing.T) {
	for _, c := range []struct {
		rule                 ragged.Truncation
		first, second, limit int
		want                 [2]int
	}{
		{ragged.LongestFirst, 5, 5, 10, [2]int{5, 5}},
		{ragged.LongestFirst, 9, 2, 10, [2]int{8, 2}},
		{ragged.LongestFirst, 2, 9, 10, [2]int{2, 8}},
		{ragged.LongestFirst, 9, 8, 10, [2]int{5, 5}},
		{ragged.LongestFirst, 9, 8, 11, [2]int{6, 5}},
		{ragged.LongestFirst, 8, 9, 11, [2]int{5, 6}},
		{ragged.LongestFirst, 8, 8, 11, [2]int{6, 5}},
		{ragged.LongestFirst, 3, 1, 3, [2]int{2, 1}},
		{ragged.LongestFirst, 1, 3, 3, [2]int{1, 2}},
		{ragged.LongestFirst, 2, 2, 0, [2]int{0, 0}},
		{ragged.OnlyFirst, 9, 8, 5, [2]int{5, 8}},
		{ragged.OnlyFirst, 3, 8, 5, [2]int{3, 8}},
		{ragged.OnlySecond, 9, 8, 5, [2]int{9, 5}},
		{ragged.OnlySecond, 9, 3, 5, [2]int{9, 3}},
	} {
		first, second := c.rule.Cut(c.first, c.second, c.limit)
		assert.Equal(t, c.want, [2]int{first, second}, "%+v", c)
	}
}

func TestStrings_Clone(t *testing.T) {
	var s ragged.Strings
	s.Append([]byte("ab"))
	s.Append([]byte("c"))
	clone := s.Clone()
	s.Chars[0] = 'x'
	assert.Equal(t, "ab", string(clone.At(0)))
	assert.Equal(t, "c", string(clone.At(1)))
	assert.EqualValues(t, 2*2*4+3, s.Bytes())
}
