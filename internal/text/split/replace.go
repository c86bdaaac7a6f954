package split

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/text/align"
	"github.com/vinoir/vinoir/internal/text/limits"
	"github.com/vinoir/vinoir/internal/text/regex"
)

// Replacer replaces the matches of a pattern. It can be used by several goroutines.
type Replacer struct {
	re     *regex.Regexp // nil if nothing is replaced
	parts  []part
	length int // of the replacement, in bytes
	global bool
	// class is set if each match is one character and groups are that character: no search is
	// needed.
	class *substitution
}

// part is a part of a replacement.
type part struct {
	text   []byte
	kind   partKind
	groups []int // the first one that is set
}

type partKind uint8

const (
	partText partKind = iota
	partGroups
	partLast   // the last group that is set
	partBefore // the text before the match
	partAfter  // the text after the match
	partWhole  // the whole text
)

// rewritten are patterns of old converters, and what OpenVINO takes in their place: the first one
// replaces by \1 whichever group has matched, the others shall match a newline, too.
var rewritten = map[string]string{
	` ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't)`: `(?| ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't))`,
	`(^)(.)`:  `(^)([\s\S])`,
	`(^)(.+)`: `(^)([\s\S])`,
}

// ReplaceOptions are options for NewReplacer.
type ReplaceOptions struct {
	// First means that only the first match is replaced.
	First bool
	// RE2 means that a pattern with a lookahead or lookbehind matches nothing: RE2 refuses it,
	// which OpenVINO Tokenizers 2023.3 replaced by.
	RE2 bool
}

// NewReplacer returns a Replacer. The replacement is as in pcre2_substitute: $1, ${1}, $name,
// ${name} and $<name> are groups, $0 and $& the match, $+ the last group, $` and $' what precedes
// and follows the match, $_ the text and $$ a dollar sign. \1 to \9 are groups, too.
func NewReplacer(pattern, replacement []byte, options ReplaceOptions) (*Replacer, error) {
	if to, ok := rewritten[string(pattern)]; ok {
		pattern = []byte(to)
	}
	re, err := compile(pattern, regex.Compile)
	if re == nil || options.RE2 && re.Asserts() {
		return &Replacer{}, err
	}
	with := backslashes(replacement)
	r := &Replacer{re: re, length: len(with), global: !options.First}
	parts, ok := parseReplacement(with, re)
	if !ok {
		return &Replacer{}, nil
	}
	r.parts = parts
	if r.global {
		r.class = substitutionOf(re, parts)
	}
	return r, nil
}

// backslashes returns a replacement with $1 in place of \1.
func backslashes(replacement []byte) []byte {
	out := bytes.Clone(replacement)
	for i := 0; i+1 < len(out); i++ {
		if out[i] == '\\' && out[i+1] >= '1' && out[i+1] <= '9' {
			out[i] = '$'
			i++
		}
	}
	return out
}

// parseReplacement returns false for what PCRE2 refuses.
func parseReplacement(in []byte, re *regex.Regexp) ([]part, bool) {
	if !utf8.Valid(in) {
		return nil, false
	}
	var parts []part
	for len(in) > 0 {
		i := bytes.IndexByte(in, '$')
		if i < 0 {
			i = len(in)
		}
		if i > 0 {
			parts = append(parts, part{text: in[:i]})
		}
		if in = in[i:]; len(in) == 0 {
			break
		}
		if in = in[1:]; len(in) == 0 {
			return nil, false
		}
		p, n, ok := dollar(in, re)
		if !ok {
			return nil, false
		}
		parts = append(parts, p)
		in = in[n:]
	}
	return parts, true
}

// dollar parses what follows a dollar sign, and returns its length.
func dollar(in []byte, re *regex.Regexp) (p part, length int, ok bool) {
	switch c := in[0]; c {
	case '$':
		return part{text: in[:1]}, 1, true
	case '&':
		return part{kind: partGroups, groups: []int{0}}, 1, true
	case '+':
		return part{kind: partLast}, 1, true
	case '`':
		return part{kind: partBefore}, 1, true
	case '\'':
		return part{kind: partAfter}, 1, true
	case '_':
		return part{kind: partWhole}, 1, true
	case '*':
		// The mark of a verb, which no pattern here has.
		for _, word := range []string{"*MARK", "{*MARK}"} {
			if bytes.HasPrefix(in, []byte(word)) {
				return part{}, len(word), true
			}
		}
		return part{}, 0, false
	case '{', '<':
		end := byte('}')
		if c == '<' {
			end = '>'
		}
		i := bytes.IndexByte(in, end)
		if i < 0 {
			return part{}, 0, false
		}
		if c == '{' && string(in[1:i]) == "*MARK" {
			return part{}, i + 1, true
		}
		groups, n := group(in[1:i], re)
		if c == '<' && in[1] <= '9' {
			groups = nil // only a name
		}
		return part{kind: partGroups, groups: groups}, i + 1, n == i-1 && groups != nil
	}
	groups, n := group(in, re)
	return part{kind: partGroups, groups: groups}, n, groups != nil
}

// group parses the number or the name of a group at the start of in. groups is nil if there is no
// such group.
func group(in []byte, re *regex.Regexp) (groups []int, length int) {
	if len(in) > 0 && in[0] >= '0' && in[0] <= '9' {
		n := 0
		for length < len(in) && in[length] >= '0' && in[length] <= '9' {
			n = min(10*n+int(in[length]-'0'), re.Groups())
			length++
		}
		if n >= re.Groups() {
			return nil, length
		}
		return []int{n}, length
	}
	length = regex.NameLength(in)
	return re.Named(string(in[:length])), length
}

// Append appends text with its matches replaced. As in OpenVINO, it appends text as it is if a
// match takes too many steps, if a group of the replacement is not set, or if the result is longer
// than four times the text and the replacement, which counts once more for each group that the
// first match has set. The error is that of regex.Matcher.Find.
func (r *Replacer) Append(out, text []byte, scratch *Scratch) ([]byte, error) {
	w := writer{out: out, limits: scratch.Limit(), sources: scratch.Sources}
	switch {
	case r.class != nil && scratch.Sources == nil:
		found, err := r.class.append(&w, text, scratch)
		// The limit is that of replace.
		if highest := r.re.Groups() - 1; err != nil || !found || len(w.out) < len(out)+4*(len(text)+(1+highest)*r.length) {
			return w.out, err
		}
		w.out = w.out[:len(out)]
	case r.re != nil:
		ok, err := r.replace(&w, text, &scratch.Matcher)
		switch {
		case errors.Is(err, regex.ErrLimit):
		case err != nil:
			return w.out, err
		case ok:
			return w.out, nil
		}
		w.out = w.out[:len(out)]
		w.sources.Cut(0)
	}
	w.put(text)
	w.sources.Copy(len(text), 0)
	return w.out, w.err
}

// writer appends to out, and records where that comes from in sources.
type writer struct {
	out     []byte
	limits  *limits.Limits
	sources *align.Sources
	err     error
}

func (w *writer) put(text []byte) {
	if w.err != nil {
		return
	}
	if len(text) > cap(w.out)-len(w.out) {
		if w.out, w.err = limits.Grow(w.limits, w.out, len(w.out)+len(text)); w.err != nil {
			return
		}
	}
	w.out = append(w.out, text...)
}

// Keep appends text as it is.
func Keep(out, text []byte, scratch *Scratch) ([]byte, error) {
	w := writer{out: out, limits: scratch.Limit(), sources: scratch.Sources}
	w.put(text)
	w.sources.Copy(len(text), 0)
	return w.out, w.err
}

// replace appends text with its matches replaced, and returns false if that is not possible.
func (r *Replacer) replace(w *writer, text []byte, m *regex.Matcher) (bool, error) {
	m.Reset(r.re, text)
	at, most := 0, 0 // where the next search starts, and the limit of the length
	flags := regex.Flags(0)
	if r.re.Groups() == 1 {
		flags = regex.NoGroups
	}
	for {
		found, err := m.Find(at, flags)
		if err != nil {
			return false, err
		}
		if !found {
			break
		}
		if most == 0 {
			most = 4*(len(text)+(1+r.highest(m))*r.length) + len(w.out)
		}
		begin, end := m.Group(0)
		if begin > at {
			w.put(text[at:begin])
			w.sources.Copy(begin-at, at)
		}
		if !r.putMatch(w, text, m, most) || w.err != nil {
			return false, w.err
		}
		// After an empty match, the next one is not empty or further on.
		at = end
		flags &^= regex.NotEmpty
		if begin == end {
			flags |= regex.NotEmpty
		}
		if !r.global {
			break
		}
	}
	w.put(text[at:])
	w.sources.Copy(len(text)-at, at)
	return most == 0 || len(w.out) < most, w.err
}

// highest returns the number of the last group that is set.
func (r *Replacer) highest(m *regex.Matcher) int {
	g := r.re.Groups() - 1
	for ; g > 0; g-- {
		if _, end := m.Group(g); end >= 0 {
			break
		}
	}
	return g
}

// putMatch appends what replaces a match. It returns false if a group is not set, or if there would
// be most bytes.
func (r *Replacer) putMatch(w *writer, text []byte, m *regex.Matcher, most int) bool {
	for i := range r.parts {
		p := &r.parts[i]
		begin, end := m.Group(0)
		switch p.kind {
		case partText:
			if len(w.out)+len(p.text) >= most {
				return false
			}
			w.put(p.text)
			w.sources.Put(len(p.text), begin, end)
			continue
		case partBefore:
			begin, end = 0, begin
		case partAfter:
			begin, end = end, len(text)
		case partWhole:
			begin, end = 0, len(text)
		case partLast:
			begin, end = m.Group(r.highest(m))
		default:
			end = -1
			for _, g := range p.groups {
				if begin, end = m.Group(g); end >= 0 {
					break
				}
			}
			if end < 0 {
				return false
			}
		}
		if len(w.out)+end-begin >= most {
			return false
		}
		w.put(text[begin:end])
		w.sources.Copy(end-begin, begin)
	}
	return true
}
