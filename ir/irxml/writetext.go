package irxml

import (
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/xmlscan"
)

// text writes text as it is. It is not inlined: its callers would be 21 KiB larger.
//
//go:noinline
func (w *writer) text(s string) { w.buf = append(w.buf, s...) }

// indent starts a line.
func (w *writer) indent() {
	for range w.depth {
		w.buf = append(w.buf, '\t')
	}
}

// start writes the start tag of an element up to its attributes.
func (w *writer) start(name string) {
	w.indent()
	w.text("<")
	w.text(name)
}

// empty ends the start tag of an element without content.
func (w *writer) empty() { w.text(" />\n") }

// content ends the start tag of an element with content on lines of its own.
func (w *writer) content() {
	w.text(">\n")
	w.depth++
}

// open writes the start tag of an element without attributes.
func (w *writer) open(name string) {
	w.start(name)
	w.content()
}

// close writes the end tag of an element with content on lines of its own.
func (w *writer) close(name string) {
	w.depth--
	w.indent()
	w.text("</")
	w.text(name)
	w.text(">\n")
}

// attr writes an attribute of a name that is known to be one.
func (w *writer) attr(name, value string) {
	w.text(" ")
	w.text(name)
	w.text(`="`)
	w.escaped(value, true)
	w.text(`"`)
}

// number writes an attribute with an integer.
func (w *writer) number(name string, value int) {
	w.text(" ")
	w.text(name)
	w.text(`="`)
	w.buf = strconv.AppendInt(w.buf, int64(value), 10)
	w.text(`"`)
}

// anyAttr writes an attribute of any name.
func (w *writer) anyAttr(name, value string) {
	if !xmlscan.IsName(name) {
		w.fail("attribute %q cannot be written: not an XML name", name)
	}
	w.attr(name, value)
}

// escaped writes text as pugixml does, in the value of an attribute or between tags. References
// keep control characters; readers would replace line ends and tabs in values.
func (w *writer) escaped(text string, value bool) {
	from := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '&' && c != '<' && c != '>' && c != '"' {
			continue
		}
		reference := ""
		switch {
		case c == '&':
			reference = "&amp;"
		case c == '<':
			reference = "&lt;"
		case c == '>' && !value:
			reference = "&gt;"
		case c == '"' && value:
			reference = "&quot;"
		case c == 0:
			w.fail("%q cannot be written: it has a zero byte, where readers end a text", text)
		case c < ' ' && (value || c != '\n' && c != '\t'):
			reference = string([]byte{'&', '#', '0' + c/10, '0' + c%10, ';'})
		}
		if reference != "" {
			w.text(text[from:i])
			w.text(reference)
			from = i + 1
		}
	}
	w.text(text[from:])
}

// names writes an attribute with a list of tensor names, as parseNames reads it. A name that ends
// in a backslash must be the last: what follows would be read as a part of it.
func (w *writer) names(attribute string, names []string) {
	if len(names) == 0 {
		return
	}
	var list []byte
	last := ""
	for _, name := range names {
		switch {
		case name == "":
		case !strings.HasSuffix(name, `\`):
			if len(list) > 0 {
				list = append(list, ',')
			}
			list = append(list, strings.ReplaceAll(name, ",", `\,`)...)
		case last != "":
			w.fail("tensor names %q and %q cannot both be written, as both end in a backslash", last, name)
		default:
			last = name
		}
	}
	if last != "" {
		if len(list) > 0 {
			list = append(list, ',')
		}
		list = append(list, strings.ReplaceAll(last, ",", `\,`)...)
	}
	w.attr(attribute, string(list))
}

// element writes e as an element of the given name.
func (w *writer) element(name string, e *etree.Element) {
	w.indent()
	w.tree(name, e, false)
}

// tree writes an element and, unless it is inside a line, a line end. Elements with text are
// written on one line, since blanks beside text are a part of it.
func (w *writer) tree(name string, e *etree.Element, inLine bool) {
	if !xmlscan.IsName(name) {
		w.fail("element %q cannot be written: not an XML name", name)
	}
	if len(w.buf) > xmlBlock {
		w.flush()
	}
	w.text("<")
	w.text(name)
	for i := range e.Attr {
		w.anyAttr(e.Attr[i].FullKey(), e.Attr[i].Value)
	}
	hasText, hasChild := contentOf(e)
	lines := !inLine && !hasText
	if hasText || hasChild {
		w.text(">")
		w.children(e, lines)
		w.text("</")
		w.text(name)
		w.text(">")
	} else {
		w.text(" />")
	}
	if !inLine {
		w.text("\n")
	}
}

// contentOf reports whether an element has text that is not blank, and whether it has children.
func contentOf(e *etree.Element) (hasText, hasChild bool) {
	for _, token := range e.Child {
		switch t := token.(type) {
		case *etree.CharData:
			hasText = hasText || strings.Trim(t.Data, " \t\r\n") != ""
		case *etree.Element:
			hasChild = true
		}
	}
	return hasText, hasChild
}

// children writes the content of an element: only elements, if they are on lines of their own.
func (w *writer) children(e *etree.Element, lines bool) {
	if lines {
		w.text("\n")
	}
	w.depth++
	for _, token := range e.Child {
		switch t := token.(type) {
		case *etree.CharData:
			if !lines {
				w.escaped(t.Data, false)
			}
		case *etree.Element:
			if lines {
				w.indent()
			}
			w.tree(t.FullTag(), t, !lines)
		}
	}
	w.depth--
	if lines {
		w.indent()
	}
}
