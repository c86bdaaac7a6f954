package convert

import (
	"maps"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/text/hf"
	"github.com/vinoir/vinoir/internal/text/python"
)

// addedToken is a token that is found in the text itself, with the id that it has.
type addedToken struct {
	*hf.AddedToken
	id int32
}

// setAdded lists the added tokens in the order of their ids.
func (c *converter) setAdded() {
	byID := map[int32]*hf.AddedToken{}
	for i := range c.file.AddedTokens {
		if token := &c.file.AddedTokens[i]; token.Content != "" {
			byID[c.tokenizer.TokenID(token.Content)] = token
		}
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		c.added = append(c.added, addedToken{byID[id], id})
	}
}

// longestFirst lists the added tokens so that a longer one comes before one that it starts with.
func (c *converter) longestFirst() []*hf.AddedToken {
	byText := map[string]*hf.AddedToken{}
	for _, token := range c.added {
		byText[token.Content] = token.AddedToken
	}
	texts := slices.Sorted(maps.Keys(byText))
	slices.Reverse(texts)
	tokens := make([]*hf.AddedToken, len(texts))
	for i, text := range texts {
		tokens[i] = byText[text]
	}
	return tokens
}

// specialsPattern returns the pattern of SpecialTokensSplit: a group for the tokens that take the
// same spaces around them.
func (c *converter) specialsPattern() string {
	type sides struct{ left, right bool }
	groups := map[sides][]string{}
	var order []sides
	for _, token := range c.longestFirst() {
		s := sides{token.LStrip, token.RStrip}
		if groups[s] == nil {
			order = append(order, s)
		}
		groups[s] = append(groups[s], quoted(token.Content))
	}
	const spaces = `(?:\s*)`
	var parts []string
	for _, s := range order {
		part := "(" + strings.Join(groups[s], "|") + ")"
		if s.left {
			part = spaces + part
		}
		if s.right {
			part += spaces
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "|")
}

// anySpecial returns a pattern of all added tokens.
func (c *converter) anySpecial() string {
	var list []string
	for _, token := range c.longestFirst() {
		list = append(list, quoted(token.Content))
	}
	return strings.Join(list, "|")
}

// quoted returns a pattern of a text.
func quoted(text string) string {
	var b strings.Builder
	for _, r := range text {
		if !python.IsAlnum(string(r)) && r != '_' && r != '▁' && r != '｜' {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
