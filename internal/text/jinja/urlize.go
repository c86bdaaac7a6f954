package jinja

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/text/python"
)

// urlPatterns are the patterns of web addresses, of mail addresses, and of prefixes of addresses.
var urlPatterns = sync.OnceValue(func() (p struct{ web, mail, scheme *regexp.Regexp }) {
	const word = `\p{L}\p{N}_`
	p.web = regexp.MustCompile(`(?i)^(?:(?:https?://|www\.)(?:(?:[` + word + `%-]+\.)+)?(?:[a-z]{2,63}|xn--[` + word + `%]{2,59})` +
		`|(?:[` + word + `%-]{2,63}\.)+(?:com|net|int|edu|gov|org|info|mil)` +
		`|https?://(?:\p{Nd}{1,3}(?:\.\p{Nd}{1,3}){3}|\[(?:[\p{Nd}a-f]{0,4}:){2}(?:[\p{Nd}a-f]{0,4}:?){1,6}\]))` +
		`(?::\p{Nd}{1,5})?(?:[/?#][^\s\x{85}\p{Z}\x1c-\x1f]*)?\n?$`)
	p.mail = regexp.MustCompile(`^[^\s\x{85}\p{Z}\x1c-\x1f]+@[` + word + `][` + word + `.-]*\.[` + word + `]+\n?$`)
	p.scheme = regexp.MustCompile(`^[` + word + `.+-]{2,}:/{0,2}$`)
	return p
})

func filterURLize(st *state, v any, a *callArgs) any {
	b := a.bind(st, "urlize", 0, "trim_url_limit", "nofollow", "target", "rel", "extra_schemes")
	u := urlizer{st: st, limit: -1}
	if b[0] != nil && b[0] != None {
		u.limit = st.int(b[0], 0, "urlize")
	}
	rel := []string{"noopener"}
	if isTrue(b[1]) {
		rel = append(rel, "nofollow")
	}
	if isTrue(b[3]) {
		rel = append(rel, python.Fields(st.text(b[3], "", "rel"), -1)...)
	}
	slices.Sort(rel)
	u.attributes = ` rel="` + st.escapedText(strings.Join(slices.Compact(rel), " ")) + `"`
	if isTrue(b[2]) {
		u.attributes += ` target="` + st.escapedText(b[2]) + `"`
	}
	if isTrue(b[4]) {
		for _, s := range st.list(b[4]) {
			scheme := st.text(s, "", "scheme")
			if !urlPatterns().scheme.MatchString(scheme) {
				st.fail("%s is not a valid URI scheme prefix", repr(s))
			}
			u.schemes = append(u.schemes, scheme)
		}
	}
	text := st.escapedText(v)
	st.make(4 * len(text))
	st.steps(len(text) / 4)
	var made strings.Builder
	for text != "" {
		space := len(text) - len(python.LStrip(text))
		made.WriteString(text[:space])
		text = text[space:]
		end := strings.IndexFunc(text, python.IsSpace)
		if end < 0 {
			end = len(text)
		}
		linked := u.word(text[:end])
		st.make(len(linked))
		made.WriteString(linked)
		text = text[end:]
	}
	return st.marked(made.String())
}

// urlizer makes links of addresses.
type urlizer struct {
	st         *state
	limit      int64
	attributes string
	schemes    []string
}

// word makes a link of a word, without brackets before it and punctuation behind it.
func (u *urlizer) word(word string) string {
	if word == "" {
		return ""
	}
	middle := word
	for cut := true; cut; {
		cut = false
		for _, open := range []string{"(", "<", "&lt;"} {
			if strings.HasPrefix(middle, open) {
				middle, cut = middle[len(open):], true
			}
		}
	}
	head := word[:len(word)-len(middle)]
	rest := middle
	for cut := true; cut; {
		cut = false
		for _, end := range []string{")", ">", ".", ",", "\n", "&gt;"} {
			if strings.HasSuffix(rest, end) {
				rest, cut = rest[:len(rest)-len(end)], true
			}
		}
	}
	tail := middle[len(rest):]
	middle = rest
	for _, pair := range [][2]string{{"(", ")"}, {"<", ">"}, {"&lt;", "&gt;"}} {
		opened := strings.Count(middle, pair[0])
		if opened <= strings.Count(middle, pair[1]) {
			continue
		}
		for range min(opened, strings.Count(tail, pair[1])) {
			u.st.step()
			end := strings.Index(tail, pair[1]) + len(pair[1])
			middle += tail[:end]
			tail = tail[end:]
		}
	}
	return head + u.link(middle) + tail
}

func (u *urlizer) link(s string) string {
	shown := s
	if n := int64(utf8.RuneCountInString(s)); u.limit >= 0 && n > u.limit {
		shown = python.Prefix(s, int(u.limit)) + "..."
	}
	p := urlPatterns()
	switch {
	case p.web.MatchString(s):
		if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
			return `<a href="https://` + s + `"` + u.attributes + ">" + shown + "</a>"
		}
		return `<a href="` + s + `"` + u.attributes + ">" + shown + "</a>"
	case strings.HasPrefix(s, "mailto:") && p.mail.MatchString(s[len("mailto:"):]):
		return `<a href="` + s + `">` + s[len("mailto:"):] + "</a>"
	case strings.Contains(s, "@") && !strings.HasPrefix(s, "www.") && !strings.HasPrefix(s, "@") && !strings.Contains(s, ":") && p.mail.MatchString(s):
		return `<a href="mailto:` + s + `">` + s + "</a>"
	}
	for _, scheme := range u.schemes {
		if s != scheme && strings.HasPrefix(s, scheme) {
			s = `<a href="` + s + `"` + u.attributes + ">" + s + "</a>"
		}
	}
	return s
}
