// Package xmlscan is a pull scanner for XML. It accepts and rejects the same documents as pugixml,
// the parser of OpenVINO. It is not meant for general use.
//
// Unlike encoding/xml, it accepts
//
//   - unescaped '<' and '&' in attribute values
//   - unknown entities, which stay as they are in the document
//   - references to control characters
//   - bytes that are not UTF-8
//   - repeated attributes: only the first one counts
//   - text outside the root element
//   - a missing or unusual XML declaration
//
// Entities that a DOCTYPE declares are never expanded.
//
// Values are normalised as pugixml does it. Tabs, line feeds and carriage returns in an attribute
// value become spaces, unless they are written as references. Line ends in text become line feeds.
// Text that consists only of blanks is dropped.
//
// The scanner works on one byte slice and keeps one slice header for each open element. Apart from
// that, it allocates memory only for values that differ from their text in the document.
package xmlscan

import (
	"bytes"
	"fmt"

	"github.com/vinoir/vinoir/internal/printable"
)

// Kind is the kind of an event.
type Kind uint8

// The kinds of events that Next returns.
const (
	EOF   Kind = iota // the end of the document
	Start             // a start tag; Name and Attrs are valid
	End               // an end tag, or the end of an empty element; Name is valid
	Text              // text or a CDATA section; Text is valid
)

// Attr is an attribute. Its value is decoded.
type Attr struct {
	Name, Value []byte
}

// SyntaxError reports a document that is malformed or exceeds the Limits.
type SyntaxError struct {
	Line   int // from 1
	Offset int // in bytes, in Scanner.Document
	Msg    string
}

// Error returns the message without the position.
func (e *SyntaxError) Error() string { return e.Msg }

// Limits bounds the size of the elements of a document.
type Limits struct {
	Depth int // nested elements
	Attrs int // attributes of an element
}

// Scanner reads one document. The results of Name, Attrs, Attr and Text are valid until the next
// call of Next.
type Scanner struct {
	doc     []byte
	limits  Limits
	pos     int
	nul     bool     // the document was cut at a zero byte
	open    [][]byte // names of the open elements
	name    []byte
	attrs   []Attr
	text    []byte
	scratch []byte // decoded values of the current event
	empty   bool   // the current element ended in "/>": its End is next
	closing bool   // the current event is an End

	start   int // where the current event starts
	counted int // the position whose line is in line
	line    int
	notes   []note
}

// New returns a Scanner for doc. doc must not change while the Scanner is in use.
func New(doc []byte, limits Limits) *Scanner {
	text, encoding := toUTF8(doc)
	s := &Scanner{doc: text, limits: limits, line: 1}
	if encoding != "" {
		s.note(0, "the document is in %s, not UTF-8", encoding)
	}
	// pugixml works on a zero-terminated string.
	if i := bytes.IndexByte(s.doc, 0); i >= 0 {
		s.doc, s.nul = s.doc[:i], true
		s.note(i, "the document is cut at a zero byte")
	}
	return s
}

// Name returns the name of the element that started or ended.
func (s *Scanner) Name() []byte { return s.name }

// Attrs returns the attributes of the element that started, in document order. If an attribute is
// repeated, only the first one is returned.
func (s *Scanner) Attrs() []Attr { return s.attrs }

// Attr returns the value of attribute name of the element that started, and whether the element has
// that attribute.
func (s *Scanner) Attr(name string) ([]byte, bool) {
	for i := range s.attrs {
		if string(s.attrs[i].Name) == name {
			return s.attrs[i].Value, true
		}
	}
	return nil, false
}

// Span returns the range of the current event in Document. The End of an empty element has the same
// range as its Start.
func (s *Scanner) Span() (from, to int) { return min(s.start, s.pos), s.pos }

// AttrSpan returns the range in Document of the value of attribute name, without its quotes. It can
// be called only after a Start. ok is false if the element does not have the attribute.
func (s *Scanner) AttrSpan(name string) (from, to int, ok bool) {
	tag := Scanner{doc: s.doc, pos: s.start + 1}
	tag.readName()
	for tag.skipSpace(); classes[tag.peek(0)]&nameStart != 0; tag.skipSpace() {
		found := tag.readName()
		tag.skipSpace()
		tag.pos++ // the equals sign
		tag.skipSpace()
		quote := tag.peek(0)
		from = tag.pos + 1
		if tag.pos >= len(tag.doc) || !tag.skipQuoted(quote) {
			break
		}
		if string(found) == name {
			return from, tag.pos - 1, true
		}
	}
	return 0, 0, false
}

// skipQuoted moves from an opening quote to the position behind the closing quote. It returns false
// if there is no closing quote.
func (s *Scanner) skipQuoted(quote byte) bool {
	s.pos++
	return s.skipPast(string(rune(quote)))
}

// Document returns the document as UTF-8, without a byte order mark, up to the first zero byte. All
// positions are byte offsets in it.
func (s *Scanner) Document() []byte { return s.doc }

// Text returns the text of the current event.
func (s *Scanner) Text() []byte { return s.text }

// Line returns the line, from 1, on which the current event starts. It counts from the position of
// its last call, so calling it for every event takes time linear in the length of the document.
func (s *Scanner) Line() int {
	s.line += bytes.Count(s.doc[s.counted:s.start], newline)
	s.counted = s.start
	return s.line
}

var newline = []byte{'\n'}

// Skip skips the rest of the element that started, up to and including its End.
func (s *Scanner) Skip() error {
	depth := len(s.open)
	for {
		kind, err := s.Next()
		if err != nil {
			return err
		}
		if kind == End && len(s.open) == depth {
			return nil
		}
	}
}

// fail returns a SyntaxError at position at.
func (s *Scanner) fail(at int, format string, args ...any) error {
	msg := printable.Escape(fmt.Sprintf(format, args...)) // names come from the document
	if s.nul && at >= len(s.doc) {
		msg = "zero byte in the document: " + msg
	}
	line := 1 + bytes.Count(s.doc[:min(at, len(s.doc))], newline)
	return &SyntaxError{Line: line, Offset: at, Msg: msg}
}
