package hf

import (
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/regex"
)

// pretokenizer cuts a piece of s.text, and adds the pieces to s.next. It can append other text to
// s.text.
type pretokenizer interface {
	cut(p piece, s *Scratch) error
}

// Patterns of the library.
const (
	byteLevelPattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	// whitespacePattern is one of Rust's regular expressions, whose \w has the joiners and not the
	// other numbers.
	whitespacePattern = `[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200c}\x{200d}]+|[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200c}\x{200d}` + onigSpaces + `]+`
)

// addPreTokenizer adds the pre-tokenizers of a component.
func (b *builder) addPreTokenizer(c *Component, path string) {
	add := func(p ...pretokenizer) { b.t.pretokenizers = append(b.t.pretokenizers, p...) }
	if !b.known(c, path) {
		return
	}
	bySet := func(s *set, behavior behavior) pretokenizer {
		return &splitter{pattern: &pattern{set: s}, behavior: behavior}
	}
	byRegexp := func(text string, behavior behavior, invert bool) pretokenizer {
		re, err := regex.CompileWords([]byte(text))
		b.check(err, path)
		return &splitter{&pattern{re: re}, behavior, invert}
	}
	switch c.Type {
	case "Sequence":
		for i, one := range c.PreTokenizers {
			b.addPreTokenizer(one, element(path, "pretokenizers", i))
		}
	case "ByteLevel":
		if orElse(c.AddPrefixSpace, true) {
			add(&prefixed{blank: ' '})
		}
		if orElse(c.UseRegex, true) {
			pattern, err := translate(byteLevelPattern)
			b.check(err, path)
			add(byRegexp(pattern, isolated, false))
		}
		add(&rewritten{byteLevel{}, false})
	case "BertPreTokenizer":
		add(bySet(spaces(), removed), bySet(punctuation(), isolated))
	case "Whitespace":
		add(byRegexp(whitespacePattern, removed, true))
	case "WhitespaceSplit":
		add(bySet(spaces(), removed))
	case "Punctuation":
		add(bySet(punctuation(), b.behavior(c, path, isolated)))
	case "Digits":
		behavior := contiguous
		if c.Digits {
			behavior = isolated
		}
		add(&splitter{&pattern{re: b.digits(path)}, behavior, false})
	case "CharDelimiterSplit":
		r, n := utf8.DecodeRuneInString(c.Delimiter)
		if n == 0 || n != len(c.Delimiter) {
			b.check(faults.Errorf("the delimiter is %q, expected one character", c.Delimiter), path)
		}
		add(bySet(setOf(span{r, r}), removed))
	case "Split":
		p, err := patternOf(c.Pattern)
		b.check(err, path)
		add(&splitter{p, b.behavior(c, path, removed), c.Invert})
	case "Metaspace":
		b.addMetaspace(c, path)
	case "FixedLength":
		if c.Length == 0 {
			c.Length = 5
		}
		add(fixedLength(c.Length))
	default:
		b.unsupported(c, path)
	}
}

// digits returns the pattern of a character with a number.
func (b *builder) digits(path string) *regex.Regexp {
	re, err := regex.CompileWords([]byte(`\p{N}`))
	b.check(err, path)
	return re
}

// behavior returns the behavior of a component.
func (b *builder) behavior(c *Component, path string, missing behavior) behavior {
	if c.Behavior == "" {
		return missing
	}
	x, ok := behaviors[c.Behavior]
	if !ok {
		b.check(faults.Errorf("the behavior is %q", c.Behavior), path)
	}
	return x
}

// metaspaceOf returns what Component.Metaspace does.
func (b *builder) metaspaceOf(c *Component, path string) (replacement rune, scheme string) {
	replacement, scheme, err := c.Metaspace()
	b.check(err, path)
	return replacement, scheme
}

// Metaspace returns the character of a Metaspace that stands for a space, and where one is put
// before a text: always, first or never.
func (c *Component) Metaspace() (replacement rune, scheme string, err error) {
	replacement, n := utf8.DecodeRuneInString(c.Replacement)
	if n == 0 || n != len(c.Replacement) {
		err = faults.Errorf("the replacement is %q, expected one character", c.Replacement)
	}
	scheme = "always"
	switch {
	case c.PrependScheme != nil:
		scheme = *c.PrependScheme
	case !orElse(c.AddPrefixSpace, true):
		scheme = "never"
	}
	if err == nil && scheme != "always" && scheme != "first" && scheme != "never" {
		err = faults.Errorf("the prepend_scheme is %q, expected always, first or never", scheme)
	}
	return replacement, scheme, err
}

func (b *builder) addMetaspace(c *Component, path string) {
	r, scheme := b.metaspaceOf(c, path)
	text := []byte(string(r))
	list := []pretokenizer{&rewritten{&replace{&pattern{text: []byte(" ")}, text}, true}}
	if scheme != "never" {
		list = append(list, &prefixed{blank: r, first: scheme == "first"})
	}
	if orElse(c.Split, true) {
		list = append(list, &splitter{&pattern{text: text}, mergedWithNext, false})
	}
	b.t.pretokenizers = append(b.t.pretokenizers, list...)
}

// rewritten normalizes pieces. keeps says that it writes one character for each.
type rewritten struct {
	normalizer
	keeps bool
}

func (n *rewritten) cut(p piece, s *Scratch) error {
	text := s.text[p.begin:p.end]
	if replace, ok := n.normalizer.(*replace); ok && replace.keeps(text) {
		return s.add(p)
	}
	s.sources.Reset()
	out, err := n.append(s.other[:0], text, s)
	if err != nil {
		return err
	}
	s.other = out
	return s.addText(p, out)
}

// prefixed puts a character before pieces that do not start with it; if first is set, only before
// the piece that a text starts with.
type prefixed struct {
	blank rune
	first bool
}

func (n *prefixed) cut(p piece, s *Scratch) error {
	text := s.text[p.begin:p.end]
	if n.first && p.start > 0 || len(text) == 0 || hasPrefixRune(text, n.blank) {
		return s.add(p)
	}
	out, err := grow(s.other[:0], utf8.UTFMax+len(text), s)
	if err != nil {
		return err
	}
	s.other = append(utf8.AppendRune(out, n.blank), text...)
	s.sources.Reset()
	s.sources.Put(len(s.other)-len(text), 0, 1)
	s.sources.Copy(len(text), 0)
	return s.addText(p, s.other)
}

// fixedLength cuts pieces of a number of characters.
type fixedLength int

func (n fixedLength) cut(p piece, s *Scratch) error {
	count, begin := 0, 0
	text := s.text[p.begin:p.end]
	for at := 0; at < len(text); {
		_, size := utf8.DecodeRune(text[at:])
		at += size
		if count++; count == int(n) || at == len(text) {
			if err := s.add(s.part(p, begin, at)); err != nil {
				return err
			}
			count, begin = 0, at
		}
	}
	return nil
}
