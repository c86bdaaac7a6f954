// Package ragged holds byte strings and rows of different lengths in the layouts of OpenVINO
// Tokenizers. Their ranges come from tensors, so from files and callers: what reads a range has
// checked it before.
package ragged

import (
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/internal/parallel"
)

// Strings are byte strings: string i is Chars[Begins[i]:Ends[i]]. Ranges can overlap and leave
// gaps. The bytes need not be UTF-8.
type Strings struct {
	Begins, Ends []int32
	Chars        []byte
}

// Len returns the number of strings.
func (s Strings) Len() int { return len(s.Begins) }

// At returns string i without a copy. The ranges must have been checked.
func (s Strings) At(i int) []byte { return s.Chars[s.Begins[i]:s.Ends[i]:s.Ends[i]] }

// Append appends a copy of text as one more string.
func (s *Strings) Append(text []byte) {
	s.Begins = append(s.Begins, int32(len(s.Chars)))
	s.Chars = append(s.Chars, text...)
	s.Ends = append(s.Ends, int32(len(s.Chars)))
}

// Bytes returns the memory of s.
func (s Strings) Bytes() int64 { return memory.Size[int32](len(s.Begins), 2) + int64(len(s.Chars)) }

// Clone returns a copy of s.
func (s Strings) Clone() Strings {
	return Strings{slices.Clone(s.Begins), slices.Clone(s.Ends), slices.Clone(s.Chars)}
}

// Check returns an error if Begins and Ends differ in length, or for the first string that ends
// before it begins, or lies outside of Chars. name is what the error calls the strings.
func (s Strings) Check(name string) error { return s.CheckUntil(nil, name) }

// CheckUntil is Check for many strings. It returns parallel.ErrStopped if stop is requested.
func (s Strings) CheckUntil(stop parallel.Stop, name string) error {
	return checkRanges(stop, name, "string", "bytes", s.Begins, s.Ends, len(s.Chars))
}

// Rows are ranges of n items: row i has the items Begins[i] to Ends[i]-1.
type Rows struct{ Begins, Ends []int32 }

// Len returns the number of rows.
func (r Rows) Len() int { return len(r.Begins) }

// Check returns an error if Begins and Ends differ in length, or for the first row that ends
// before it begins, or lies outside of the n items. name is what the error calls the rows.
func (r Rows) Check(name string, n int) error { return r.CheckUntil(nil, name, n) }

// CheckUntil is Check for many rows. It returns parallel.ErrStopped if stop is requested.
func (r Rows) CheckUntil(stop parallel.Stop, name string, n int) error {
	return checkRanges(stop, name, "row", "items", r.Begins, r.Ends, n)
}

// checked is the number of ranges that are checked between two checks for a stop.
const checked = 1 << 14

func checkRanges(stop parallel.Stop, name, one, items string, begins, ends []int32, n int) error {
	if len(begins) != len(ends) {
		return faults.Errorf("%s: %d begins and %d ends", name, len(begins), len(ends))
	}
	for lo := 0; lo < len(begins); lo += checked {
		if lo > 0 && stop.Requested() {
			return parallel.ErrStopped
		}
		for i, begin := range begins[lo:min(lo+checked, len(begins))] {
			if end := ends[lo+i]; begin < 0 || end < begin || int(end) > n {
				return faults.Errorf("%s: %s %d is from %d to %d, of %d %s", name, one, lo+i, begin, end, n, items)
			}
		}
	}
	return nil
}

// Truncation says how two rows that are too long together are cut.
type Truncation int

// The rules of Truncation.
const (
	LongestFirst Truncation = iota // as below
	OnlyFirst                      // the first is cut to the limit, whatever the second has
	OnlySecond                     // the same for the second
)

// Cut returns the lengths to which rows of the given lengths are cut if they have more than limit
// items together; otherwise it returns them as they are. limit must not be negative. LongestFirst
// cuts the row that has more than half of limit, to what the other one leaves. If both have, each
// gets half; the odd item goes to the longer one, the first on a tie.
func (t Truncation) Cut(first, second, limit int) (int, int) {
	half, odd := limit/2, limit%2
	switch {
	case first+second <= limit:
		return first, second
	case t == OnlyFirst:
		return min(first, limit), second
	case t == OnlySecond:
		return first, min(second, limit)
	case first >= half+odd && second <= half:
		return limit - second, second
	case first < half+odd && second > half:
		return first, limit - first
	case first >= second:
		return half + odd, half
	}
	return half, half + odd
}
