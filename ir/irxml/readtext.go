package irxml

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// texts copies strings of a document out of it. Many strings share a memory block, and strings
// that are likely to be repeated are stored once.
type texts struct {
	known map[string]string
	block strings.Builder
}

const (
	internLength = 24   // length of the longest string that is looked up
	internCount  = 1024 // largest number of strings that are looked up
	blockBytes   = 16 << 10
)

// copy returns b as a string.
func (t *texts) copy(b []byte) string {
	if len(b) > blockBytes/4 {
		return string(b)
	}
	if t.block.Cap()-t.block.Len() < len(b) {
		t.block = strings.Builder{}
		t.block.Grow(blockBytes)
	}
	from := t.block.Len()
	t.block.Write(b)
	return t.block.String()[from:]
}

// intern returns b as a string. Equal short strings are stored once.
func (t *texts) intern(b []byte) string {
	if len(b) > internLength {
		return t.copy(b)
	}
	if s, ok := t.known[string(b)]; ok {
		return s
	}
	s := t.copy(b)
	if len(t.known) < internCount {
		if t.known == nil {
			t.known = make(map[string]string)
		}
		t.known[s] = s
	}
	return s
}

// slab allocates small slices in shared memory blocks.
type slab[T any] struct{ free []T }

// take returns a slice of n zero elements.
func (s *slab[T]) take(n int) []T {
	if n == 0 {
		return nil
	}
	if n > len(s.free) {
		if n > 64 {
			return make([]T, n)
		}
		s.free = make([]T, 512)
	}
	taken := s.free[:n:n]
	s.free = s.free[n:]
	return taken
}

// parseNames splits a comma-separated list of tensor names. "\," in a name stands for a comma.
// Empty and repeated names are dropped.
func (r *reader) parseNames(list []byte) []string {
	if len(list) == 0 {
		return nil
	}
	if bytes.IndexByte(list, ',') < 0 {
		names := r.names.take(1)
		names[0] = r.texts.copy(list)
		return names
	}
	var names []string
	var seen map[string]bool // nil unless there are many names
	from := 0
	for i := 0; i <= len(list); i++ {
		if i < len(list) && (list[i] != ',' || i > 0 && list[i-1] == '\\') {
			continue
		}
		name := r.texts.copy(bytes.ReplaceAll(list[from:i], []byte(`\,`), []byte(",")))
		from = i + 1
		if name == "" || seen[name] || seen == nil && slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		if len(names) == manyPorts {
			seen = make(map[string]bool)
			for _, n := range names {
				seen[n] = true
			}
		} else if seen != nil {
			seen[name] = true
		}
	}
	return names
}

// trimBlanks removes leading white space.
func trimBlanks(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || '\t' <= text[0] && text[0] <= '\r') {
		text = text[1:]
	}
	return text
}

// parseUint parses an id, an offset or a size: digits after optional white space and an
// optional plus sign, as in C's strtoll, with a value of at most 2^63-1.
func parseUint(text []byte) (uint64, error) {
	digits := trimBlanks(text)
	if len(digits) > 0 && digits[0] == '+' {
		digits = digits[1:]
	}
	n := uint64(0)
	for _, c := range digits {
		if c < '0' || c > '9' || n > (math.MaxInt64-uint64(c-'0'))/10 {
			digits = nil
			break
		}
		n = n*10 + uint64(c-'0')
	}
	if len(digits) == 0 {
		return 0, faults.Errorf("%q is not a number from 0 to 2^63-1", clip(text))
	}
	return n, nil
}

// parseDim parses the number at the start of the text of a dim element. -1 means a dynamic
// dimension. Text after the number is ignored.
func parseDim(text []byte) (ir.Dimension, error) {
	digits := trimBlanks(text)
	negative := len(digits) > 0 && digits[0] == '-'
	if negative || len(digits) > 0 && digits[0] == '+' {
		digits = digits[1:]
	}
	n, i := int64(0), 0
	for ; i < len(digits) && '0' <= digits[i] && digits[i] <= '9'; i++ {
		d := int64(digits[i] - '0')
		if n > (math.MaxInt64-d)/10 {
			return ir.Dimension{}, faults.Errorf("dim %q is beyond 2^63-1", clip(text))
		}
		n = n*10 + d
	}
	switch {
	case i == 0 || negative && n > 1:
		return ir.Dimension{}, faults.Errorf("dim %q is not a number from -1 on", clip(text))
	case negative && n == 1, n == ir.Unbounded:
		return ir.AnyDim, nil
	}
	return ir.Dim(n), nil
}

// clip returns the start of text, for an error message.
func clip(text []byte) []byte {
	if len(text) > 64 {
		return append(bytes.Clone(text[:64]), "..."...)
	}
	return text
}

// parseInt parses a 64-bit integer.
func parseInt(text []byte) (int64, error) {
	digits := trimBlanks(text)
	negative := len(digits) > 0 && digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	if len(digits) == 0 || digits[0] < '0' && (negative || digits[0] != '+') {
		return 0, faults.Errorf("%q is not a 64-bit whole number", clip(text))
	}
	n, err := parseUint(digits)
	if err != nil {
		return 0, faults.Errorf("%q is not a 64-bit whole number", clip(text))
	}
	if negative {
		return -int64(n), nil
	}
	return int64(n), nil
}
