package convert

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/text/hf"
)

// splitter cuts the strings of a flow.
type splitter interface{ add(g graph, f *flow) }

// regexSplit is RegexSplit.
type regexSplit struct {
	pattern, behavior string
	invert            bool
}

func (s *regexSplit) add(g graph, f *flow) {
	g.split(f, "RegexSplit", []string{"behaviour", s.behavior, "invert", yesNo(s.invert), "max_splits", "-1"}, s.pattern)
}

// whitespaceSplit is a RegexSplit that is not merged with others.
type whitespaceSplit struct{ regexSplit }

// bytesToChars is BytesToChars.
type bytesToChars struct{}

func (bytesToChars) add(g graph, f *flow) {
	f.setRagged(g.extension("BytesToChars", nil, slices.Concat(f.rows, f.strings, f.skips)...))
}

// Patterns of the converter.
const (
	wordsPattern     = `\w+|[^\w\s]+`
	byteLevelPattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	// byteLevelDigits is byteLevelPattern with each digit on its own.
	byteLevelDigits = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	// bertPunctuation has the Chinese characters, too.
	bertPunctuation = `[!-/]|[:-@]|[\[-` + "`" + `]|[{-~]|[\p{P}]|[\x{4E00}-\x{9FFF}]|[\x{3400}-\x{4DBF}]|` +
		`[\x{20000}-\x{2A6DF}]|[\x{2A700}-\x{2B73F}]|[\x{2B740}-\x{2B81F}]|[\x{2B820}-\x{2CEAF}]|[\x{F900}-\x{FAFF}]|[\x{2F800}-\x{2FA1F}]`
	numbersPattern = `\p{Nd}|\p{Nl}|\p{No}`
)

// addPreTokenizer adds what the layers make of a component.
func (c *converter) addPreTokenizer(component *hf.Component, path string) {
	add := func(s ...splitter) { c.splits = append(c.splits, s...) }
	switch component.Type {
	case "Sequence":
		c.addPreTokenizers(component.PreTokenizers, path)
	case "ByteLevel":
		c.addByteLevel(component, byteLevelPattern)
	case "BertPreTokenizer":
		add(&regexSplit{pattern: `\s+`, behavior: "remove"}, &regexSplit{pattern: bertPunctuation, behavior: "isolate"})
	case "Whitespace":
		add(&regexSplit{pattern: wordsPattern, behavior: "remove", invert: true})
	case "WhitespaceSplit":
		add(&whitespaceSplit{regexSplit{pattern: wordsPattern, behavior: "remove", invert: true}})
	case "Punctuation":
		add(&regexSplit{pattern: `\p{P}`, behavior: behaviorOf(component, "isolate")})
	case "Digits":
		behavior := "contiguous"
		if component.Digits {
			behavior = "isolate"
		}
		add(&regexSplit{pattern: numbersPattern, behavior: behavior})
	case "Split":
		split := &regexSplit{pattern: patternOf(component.Pattern), behavior: behaviorOf(component, "remove"), invert: component.Invert}
		if split.pattern == "" { // each character
			split = &regexSplit{pattern: ".", behavior: "isolate"}
		}
		add(split)
	case "Metaspace":
		c.addMetaspace(component, path)
	default:
		c.refuseType(component, path)
	}
}

// addPreTokenizers adds a sequence. Single digits before ByteLevel are a part of its pattern.
func (c *converter) addPreTokenizers(list []*hf.Component, path string) {
	for i := 0; i < len(list); i++ {
		one := list[i]
		if one.Type == "Digits" && one.Digits && i+1 < len(list) && list[i+1].Type == "ByteLevel" && isSet(list[i+1].UseRegex, true) {
			i++
			c.addByteLevel(list[i], byteLevelDigits)
			continue
		}
		c.addPreTokenizer(one, fmt.Sprintf("%s.pretokenizers[%d]", path, i))
	}
}

func (c *converter) addByteLevel(component *hf.Component, pattern string) {
	if isSet(component.AddPrefixSpace, true) {
		c.normalizers = append(c.normalizers, &replacement{pattern: `^(\S)`, content: " $1"})
	}
	if isSet(component.UseRegex, true) {
		c.splits = append(c.splits, &regexSplit{pattern: pattern, behavior: "isolate"})
	}
	c.splits, c.byteLevel = append(c.splits, bytesToChars{}), true
}

// addMetaspace adds the character that stands for a space, and where it is put before a text.
func (c *converter) addMetaspace(component *hf.Component, path string) {
	r, scheme, err := component.Metaspace()
	if err != nil {
		c.refuse(path, "%v", err)
		return
	}
	space := string(r)
	c.normalizers = append(c.normalizers, &replacement{pattern: " ", content: space})
	switch scheme {
	case "always":
		c.normalizers = append(c.normalizers, &replacement{pattern: "(^)([^" + space + "])", content: space + "$2"})
	case "first":
		c.setFirst(space, path)
	}
	if isSet(component.Split, true) {
		c.splits = append(c.splits, &regexSplit{pattern: space, behavior: "mergedwithnext"})
	}
}

// setFirst puts a space before the text, unless it starts with a space or a special token.
func (c *converter) setFirst(space, path string) {
	if c.first != nil {
		c.refuse(path, `a second Metaspace with prepend_scheme "first"`)
		return
	}
	c.first = &replacement{pattern: "(^)([^ ])", content: space + "$2"}
	if len(c.added) > 0 {
		c.first.pattern, c.first.once = `(^)((?!`+c.anySpecial()+`| |$)|(?=[\r\n\t\f\v]))`, true
	}
}

// behaviorOf returns what happens to matches, in the words of RegexSplit.
func behaviorOf(component *hf.Component, missing string) string {
	if component.Behavior == "" {
		return missing
	}
	return strings.TrimRight(strings.ToLower(component.Behavior), "d") // isolated, removed
}

// mergeSplits joins neighbors into one layer where the converter does, which saves time: removed or
// isolated matches of either pattern. All patterns come first, and then what is left.
func (c *converter) mergeSplits() {
	if c.file.Model.Type == "BPE" { // its words are bytes
		c.splits = slices.DeleteFunc(c.splits, func(s splitter) bool { return s == bytesToChars{} })
	}
	isMetaspace := func(s splitter) bool {
		split, ok := s.(*regexSplit)
		return ok && split.pattern == "▁"
	}
	if slices.ContainsFunc(c.splits, isMetaspace) {
		c.splits = slices.DeleteFunc(c.splits, func(s splitter) bool {
			_, ok := s.(*whitespaceSplit)
			return ok
		})
	}
	first := slices.IndexFunc(c.splits, func(s splitter) bool {
		_, ok := s.(*regexSplit)
		return ok
	})
	if first < 0 {
		return
	}
	merged, rest := c.splits[:first:first], []splitter(nil)
	var last *regexSplit
	for _, s := range c.splits[first:] {
		split, ok := s.(*regexSplit)
		switch {
		case !ok:
			rest = append(rest, s)
		case last != nil && last.invert == split.invert && last.behavior == split.behavior && (split.behavior == "remove" || split.behavior == "isolate"):
			last.pattern += "|" + split.pattern
		default:
			last = split
			merged = append(merged, split)
		}
	}
	c.splits = append(merged, rest...)
}
