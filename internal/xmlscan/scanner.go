// Package xmlscan is a pull scanner of XML as pugixml reads it, the parser of
// OpenVINO: it accepts and refuses the same documents. It is no XML parser for
// general use.
//
// What it takes and encoding/xml does not: a raw '<' and '&' in attribute values,
// unknown entities (kept as they stand), references to control characters,
// bytes that are not UTF-8, repeated attributes (the first counts), any text
// after the root element, a missing or odd declaration. No entity that a DOCTYPE
// declares is ever expanded.
//
// What it hands out is normalised as pugixml does it: tab, line feed and carriage
// return in an attribute value become spaces unless they were written as
// references, line ends in text become line feeds, and text of nothing but blanks
// is dropped.
//
// The scanner works on one byte slice, keeps one slice header for each open
// element, and allocates only for values that differ from their text in the
// document.
package xmlscan

import (
	"bytes"
	"fmt"
)

// Kind is what Next found.
type Kind uint8

// The kinds of events.
const (
	EOF   Kind = iota
	Start      // a start tag; Name and Attrs are valid
	End        // an end tag, or the end of an empty element; Name is valid
	Text       // text or a CDATA section; Text is valid
)

// Attr is an attribute, its value decoded.
type Attr struct {
	Name, Value []byte
}

// SyntaxError is what is wrong in a document.
type SyntaxError struct {
	Line   int
	Offset int // in the document as UTF-8
	Msg    string
}

func (e *SyntaxError) Error() string { return e.Msg }

// Limits bound what a document can hold.
type Limits struct {
	Depth int // of nested elements
	Attrs int // of one element
}

// Scanner reads one document. What Name, Attrs and Text return is valid until
// the next call of Next.
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

	start   int // of the current event
	counted int // where line was counted
	line    int
	notes   []note
}

// New returns a Scanner of doc, which must not change while it is in use.
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

// Attrs returns the attributes of the element that started, in document order.
// An attribute that is repeated is left out but for the first.
func (s *Scanner) Attrs() []Attr { return s.attrs }

// Attr returns the value of attribute name of the element that started.
func (s *Scanner) Attr(name string) ([]byte, bool) {
	for i := range s.attrs {
		if string(s.attrs[i].Name) == name {
			return s.attrs[i].Value, true
		}
	}
	return nil, false
}

// Span returns where the current event stands in Document. That of the End of an
// empty element is behind the Start.
func (s *Scanner) Span() (from, to int) { return min(s.start, s.pos), s.pos }

// AttrSpan returns where the value of attribute name of the element that started
// stands in Document, without its quotes.
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

// skipQuoted moves behind the second of two quotes, from the first on.
func (s *Scanner) skipQuoted(quote byte) bool {
	s.pos++
	return s.skipPast(string(rune(quote)))
}

// Document returns the document as UTF-8, up to its end or a zero byte: what
// positions count in.
func (s *Scanner) Document() []byte { return s.doc }

// Text returns the text that was read.
func (s *Scanner) Text() []byte { return s.text }

// Depth returns the number of open elements; that which starts or ends is one.
func (s *Scanner) Depth() int { return len(s.open) }

// Line returns the line, from 1, where the current event starts. It counts on
// from the last call: calls in document order are linear together.
func (s *Scanner) Line() int {
	s.line += bytes.Count(s.doc[s.counted:s.start], newline)
	s.counted = s.start
	return s.line
}

var newline = []byte{'\n'}

// Skip passes over the rest of the element that started, its end included.
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

func (s *Scanner) fail(at int, format string, args ...any) error {
	msg := fmt.Sprintf(format, args...)
	if s.nul && at >= len(s.doc) {
		msg = "zero byte in the document: " + msg
	}
	line := 1 + bytes.Count(s.doc[:min(at, len(s.doc))], newline)
	return &SyntaxError{Line: line, Offset: at, Msg: msg}
}
