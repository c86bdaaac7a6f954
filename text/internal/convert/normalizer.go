package convert

import (
	"fmt"
	"strings"

	"github.com/vinoir/vinoir/internal/text/hf"
)

// normalizer changes the strings of a flow one by one.
type normalizer interface{ add(g graph, f *flow) }

// replacement is RegexNormalization.
type replacement struct {
	pattern, content string
	once             bool // the first match only
}

func (r *replacement) add(g graph, f *flow) {
	g.normalize(f, "RegexNormalization", []string{"global_replace", yesNo(!r.once)}, g.text(r.pattern), g.text(r.content))
}

// charsMap is CharsMapNormalization.
type charsMap struct {
	chars        []byte // a map of SentencePiece, without effect if there is a form
	form         string // identity, nfc, nfd, nfkc or nfkd
	fold         bool
	removeSpaces bool
}

func (m *charsMap) add(g graph, f *flow) {
	attributes := []string{
		"add_dummy_prefix", "false", "remove_extra_whitespaces", yesNo(m.removeSpaces), "escape_whitespaces", "false",
		"normalization_form", m.form, "case_fold", yesNo(m.fold), "nmt", "false",
	}
	if m.form == "" {
		g.normalize(f, "CharsMapNormalization", attributes, g.ConstantOf(m.chars, len(m.chars)))
	} else {
		g.normalize(f, "CharsMapNormalization", attributes)
	}
}

// Patterns of the converter.
const (
	marks = `\p{Mn}`
	// controls leaves out \t, \n and \r.
	controls = `([\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F\p{Cf}])`
	chinese  = `([\p{Han}])`
)

// addNormalizer adds what the layers make of a component.
func (c *converter) addNormalizer(component *hf.Component, path string) {
	add := func(n ...normalizer) { c.normalizers = append(c.normalizers, n...) }
	switch component.Type {
	case "Sequence":
		for i, one := range component.Normalizers {
			c.addNormalizer(one, fmt.Sprintf("%s.normalizers[%d]", path, i))
		}
	case "NFC", "NFD", "NFKC", "NFKD":
		add(&charsMap{form: strings.ToLower(component.Type)})
	case "Lowercase":
		add(&charsMap{form: "identity", fold: true})
	case "StripAccents":
		add(&replacement{pattern: marks})
	case "BertNormalizer":
		lower := isSet(component.Lowercase, true)
		if isSet(component.CleanText, true) {
			add(&replacement{pattern: controls}, &replacement{pattern: `\s`, content: " "})
		}
		if isSet(component.Chinese, true) {
			add(&replacement{pattern: chinese, content: " $1 "})
		}
		if isSet(component.StripAccents, false) || lower { // also if it says not to
			add(&charsMap{form: "nfd"}, &replacement{pattern: marks})
		}
		if lower {
			add(&charsMap{form: "identity", fold: true})
		}
	case "Replace":
		add(&replacement{pattern: patternOf(component.Pattern), content: contentOf(component)})
	case "Prepend":
		add(&replacement{pattern: `(?:^)([\s\S])`, content: component.Prepend + "$1"})
	case "Precompiled":
		add(&charsMap{chars: component.CharsMap, removeSpaces: true})
	case "Strip":
		add(&replacement{pattern: stripPattern(component.StripLeft, component.StripRight)})
	default:
		c.refuseType(component, path)
	}
}

// isSet returns what p refers to, or missing if it is nil.
func isSet(p *bool, missing bool) bool {
	if p == nil {
		return missing
	}
	return *p
}

// patternOf returns a pattern. The converter does not quote a text.
func patternOf(p *hf.Pattern) string {
	switch {
	case p == nil:
		return ""
	case p.String != nil && *p.String != "" || p.Regex == nil:
		if p.String == nil {
			return ""
		}
		return *p.String
	}
	return *p.Regex
}

// contentOf returns what replaces matches.
func contentOf(component *hf.Component) string {
	if component.Content == nil {
		return ""
	}
	return *component.Content
}

// stripPattern returns the pattern of the white space at the ends of a string.
func stripPattern(left, right bool) string {
	var sides []string
	if left {
		sides = append(sides, `^\s*`)
	}
	if right {
		sides = append(sides, `\s*$`)
	}
	return strings.Join(sides, "|")
}

// mergeCharsMaps makes one layer of all maps, in the place of the first one, as the converter does
// to save time: replacements between them come after all of them.
func (c *converter) mergeCharsMaps() {
	var merged *charsMap
	kept := c.normalizers[:0]
	for _, n := range c.normalizers {
		m, ok := n.(*charsMap)
		switch {
		case !ok:
			kept = append(kept, n)
		case merged == nil:
			merged = m
			kept = append(kept, n)
		default:
			c.mergeCharsMap(merged, m)
		}
	}
	c.normalizers = kept
}

// mergeCharsMap adds what m does to merged.
func (c *converter) mergeCharsMap(merged, m *charsMap) {
	real := func(form string) bool { return form != "" && form != "identity" }
	switch {
	case merged.chars != nil && m.chars != nil:
		c.refuse("normalizer", "two Precompiled")
	case real(merged.form) && real(m.form) && merged.form != m.form:
		c.refuse("normalizer", "the forms %s and %s in one tokenizer", merged.form, m.form)
	}
	if merged.chars == nil {
		merged.chars = m.chars
	}
	if merged.form == "" {
		merged.form = m.form
	}
	merged.fold = merged.fold || m.fold
	merged.removeSpaces = merged.removeSpaces && m.removeSpaces
}
