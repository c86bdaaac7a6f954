package jinja

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/vinoir/vinoir/internal/text/python"
)

func filterWordWrap(st *state, v any, a *callArgs) any {
	b := a.bind(st, "wordwrap", 0, "width", "break_long_words", "wrapstring", "break_on_hyphens")
	text, ok := asString(v)
	if !ok {
		st.defined(v)
		st.fail("'%s' object has no attribute 'splitlines'", typeName(v))
	}
	separator := any("\n")
	if b[2] != nil && b[2] != None {
		separator = b[2]
	}
	w := wrapper{
		st:      st,
		width:   int(max(min(st.int(b[0], 79, "wordwrap"), math.MaxInt32), -1)),
		long:    b[1] == nil || truth(b[1]),
		hyphens: b[3] == nil || truth(b[3]),
	}
	st.make(8 * len(text))
	var lines []string
	for _, line := range python.Lines(text, false) {
		wrapped := w.wrap([]rune(line))
		if len(wrapped) == 0 {
			wrapped = []string{""}
		}
		lines = append(lines, wrapped...)
	}
	return st.join(lines, st.text(separator, "", "wrapstring"))
}

// wrapper wraps text as Python's textwrap does.
type wrapper struct {
	st            *state
	width         int
	long, hyphens bool
}

// isBreak is the white space at which lines are broken.
func isBreak(r rune) bool { return '\t' <= r && r <= '\r' || r == ' ' }

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) }

// dashed reports whether two or more hyphens and then a word begin at i.
func dashed(text []rune, i int) (end int, ok bool) {
	for end = i; end < len(text) && text[end] == '-'; end++ {
	}
	return end, end >= i+2 && end < len(text) && isWord(text[end])
}

// beforeDash reports whether a long dash can follow the character before i.
func beforeDash(text []rune, i int) bool {
	return i > 0 && (isWord(text[i-1]) || strings.ContainsRune("!\"'&.,?", text[i-1]))
}

// hyphenated reports whether the hyphen at i is inside a word: behind two letters, or a letter, a
// hyphen and a letter, and before the like.
func hyphenated(text []rune, i int) bool {
	letter := func(j int) bool { return 0 <= j && j < len(text) && unicode.IsLetter(text[j]) }
	hyphen := func(j int) bool { return 0 <= j && j < len(text) && text[j] == '-' }
	if !hyphen(i) || !letter(i-1) || !letter(i-2) && (!hyphen(i-2) || !letter(i-3)) {
		return false
	}
	return letter(i+1) && (letter(i+2) || hyphen(i+2) && letter(i+3))
}

// next returns the end of the chunk that begins at i: white space, a word, a part of one, or a
// dash.
func (w *wrapper) next(text []rune, i int) int {
	end := i + 1
	if isBreak(text[i]) {
		for end < len(text) && isBreak(text[end]) {
			end++
		}
		return end
	}
	if w.hyphens && beforeDash(text, i) {
		if end, ok := dashed(text, i); ok {
			return end
		}
	}
	for ; end < len(text) && !isBreak(text[end]); end++ {
		if !w.hyphens {
			continue
		}
		if hyphenated(text, end) {
			return end + 1
		}
		if _, ok := dashed(text, end); text[end] == '-' && beforeDash(text, end) && ok {
			return end
		}
	}
	return end
}

// wrap returns the lines of a text without line ends.
func (w *wrapper) wrap(text []rune) []string {
	if w.width <= 0 {
		w.st.fail("invalid width %d (must be > 0)", w.width)
	}
	var lines []string
	for at := 0; at < len(text); {
		w.st.step()
		if len(lines) > 0 && isBlank(text[at:w.next(text, at)]) {
			if at = w.next(text, at); at == len(text) {
				break
			}
		}
		start, last := at, at
		for at < len(text) {
			end := w.next(text, at)
			if end-start > w.width {
				break
			}
			last, at = at, end
		}
		if at < len(text) {
			if end := w.next(text, at); end-at > w.width {
				last, at = at, w.cut(text, start, at, end)
			}
		}
		line := text[start:at]
		if isBlank(text[last:at]) {
			line = text[start:last]
		}
		if len(line) > 0 {
			lines = append(lines, string(line))
		}
	}
	return lines
}

func isBlank(text []rune) bool {
	return !slices.ContainsFunc(text, func(r rune) bool { return !python.IsSpace(r) })
}

// cut returns where a line that starts at start ends, before or inside of a chunk that is longer
// than a line.
func (w *wrapper) cut(text []rune, start, at, end int) int {
	if !w.long {
		if at > start {
			return at
		}
		return end
	}
	left := w.width - (at - start)
	if w.hyphens {
		chunk := text[at : at+left]
		for i := len(chunk) - 1; i > 0; i-- {
			if chunk[i] == '-' {
				if slices.ContainsFunc(chunk[:i], func(r rune) bool { return r != '-' }) {
					return at + i + 1
				}
				break
			}
		}
	}
	return at + left
}
