package stringtransform

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
)

// prepareSplit returns a kernel that first counts the parts. These share the memory of data.
func prepareSplit(p *ops.Preparation) (*ops.Prepared, error) {
	s := splitter{delimiter: p.Inputs[1].Tensor.Strings()[0], limit: p.Attributes.(int)}
	shape := append(slices.Clone(p.InputShape(0)), 0)
	return &ops.Prepared{Kernel: func(r *ops.Run) error {
		data, counts := r.Inputs[0].Strings(), ir.Data[int64](r.Outputs[1])
		meter, most := r.Stop.Meter(), 0
		for i, text := range data {
			n := s.count(text)
			if meter.Spent(10 + 2*len(text)) {
				return parallel.ErrStopped
			}
			counts[i], most = int64(n), max(most, n)
		}
		lengths := r.Own(func() any { return slices.Clone(shape) }).(ir.Shape)
		lengths[len(lengths)-1] = most
		if err := r.SetShape(0, lengths...); err != nil {
			return err
		}
		out := r.Outputs[0].Strings()
		parallel.Clear(r.Stop, out)
		for i, text := range data {
			if meter.Spent(10 + 2*len(text)) {
				return parallel.ErrStopped
			}
			n := 0
			for rest, more := s.start(text); more; n++ {
				out[i*most+n], rest, more = s.next(rest, n)
			}
		}
		return nil
	}}, nil
}

// splitter splits strings at a delimiter, or at white space if it is "".
type splitter struct {
	delimiter string
	limit     int // of delimiters that are looked for; negative for none
}

// count returns the number of parts of a text.
func (s *splitter) count(text string) int {
	if s.delimiter != "" {
		n := strings.Count(text, s.delimiter)
		if s.limit >= 0 {
			n = min(n, s.limit)
		}
		return n + 1
	}
	n, inside := 0, false
	for i := 0; i < len(text); {
		space, size := isSpace(text[i]), 1
		if text[i] >= utf8.RuneSelf {
			var c rune
			c, size = utf8.DecodeRuneInString(text[i:])
			space = unicode.IsSpace(c)
		}
		if !space && !inside {
			n++
		}
		inside = !space
		i += size
	}
	if s.limit >= 0 && n > s.limit {
		n = s.limit + 1
	}
	return n
}

// indexSpace returns where the first white space of a text is, -1 if it has none. Most texts are
// ASCII, in which that is faster than by package unicode.
func indexSpace(text string) int {
	for i := range len(text) {
		switch b := text[i]; {
		case b >= utf8.RuneSelf:
			if at := strings.IndexFunc(text[i:], unicode.IsSpace); at >= 0 {
				return i + at
			}
			return -1
		case isSpace(b):
			return i
		}
	}
	return -1
}

// trimSpace returns a text without the white space at its start.
func trimSpace(text string) string {
	for i := range len(text) {
		switch b := text[i]; {
		case b >= utf8.RuneSelf:
			return strings.TrimLeftFunc(text[i:], unicode.IsSpace)
		case !isSpace(b):
			return text[i:]
		}
	}
	return ""
}

// isSpace reports whether a character of ASCII is white space.
func isSpace(b byte) bool { return b == ' ' || b-'\t' < 5 }

// start returns what is to split of a text, and whether it has a part.
func (s *splitter) start(text string) (rest string, more bool) {
	if s.delimiter == "" {
		text = strings.TrimRightFunc(trimSpace(text), unicode.IsSpace)
		return text, text != ""
	}
	return text, true
}

// next returns part n of a text, from which rest starts, and whether there is a part behind it.
func (s *splitter) next(rest string, n int) (part, behind string, more bool) {
	if s.limit >= 0 && n >= s.limit {
		return rest, "", false
	}
	if s.delimiter != "" {
		return strings.Cut(rest, s.delimiter)
	}
	end := indexSpace(rest)
	if end < 0 {
		return rest, "", false
	}
	behind = trimSpace(rest[end:])
	return rest[:end], behind, behind != ""
}
