// Package ragged holds byte strings and rows of different lengths in the layouts of OpenVINO
// Tokenizers. Their ranges come from tensors, so from files and callers: what reads a range has
// checked it before.
package ragged

import "github.com/vinoir/vinoir/internal/faults"

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

// Check returns an error if Begins and Ends differ in length, or for the first string that ends
// before it begins, or lies outside of Chars. name is what the error calls the strings.
func (s Strings) Check(name string) error {
	return checkRanges(name, "string", "bytes", s.Begins, s.Ends, len(s.Chars))
}

// Rows are ranges of n items: row i has the items Begins[i] to Ends[i]-1.
type Rows struct{ Begins, Ends []int32 }

// Len returns the number of rows.
func (r Rows) Len() int { return len(r.Begins) }

// Check returns an error if Begins and Ends differ in length, or for the first row that ends
// before it begins, or lies outside of the n items. name is what the error calls the rows.
func (r Rows) Check(name string, n int) error {
	return checkRanges(name, "row", "items", r.Begins, r.Ends, n)
}

func checkRanges(name, one, items string, begins, ends []int32, n int) error {
	if len(begins) != len(ends) {
		return faults.Errorf("%s: %d begins and %d ends", name, len(begins), len(ends))
	}
	for i, begin := range begins {
		if end := ends[i]; begin < 0 || end < begin || int(end) > n {
			return faults.Errorf("%s: %s %d is from %d to %d, of %d %s", name, one, i, begin, end, n, items)
		}
	}
	return nil
}
